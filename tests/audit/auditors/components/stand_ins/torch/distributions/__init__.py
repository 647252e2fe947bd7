from torch.distributions.laplace import Laplace  # noqa: F401 - named here, as by torch
