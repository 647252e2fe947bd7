import numpy as np

import torch


class Distribution:
    def sample(self, sample_shape=()):
        return self.rsample(sample_shape)


class Laplace(Distribution):
    def __init__(self, loc, scale):
        self.loc, self.scale = (
            one if isinstance(one, torch.Tensor) else torch.tensor(one) for one in (loc, scale)
        )

    def rsample(self, sample_shape=()):
        sides = torch._uniform((*sample_shape, *self.loc.shape)) - 0.5
        drawn = -np.sign(sides) * np.log1p(-2 * abs(sides))
        return torch.Tensor(self.loc.numbers + self.scale.numbers * drawn)
