"""Noise of torch: honest at epsilon 1 or mu 0.3, and too small by 2 where the name says so."""

import torch


def counts(records):
    return torch.tensor([float(sum(r["cell"] == cell for r in records)) for cell in "012"])


def normal_noise(records, rng):
    return counts(records) + torch.randn(3) * 4.0


def normal_of_a_scale(records, rng):
    return counts(records) + torch.normal(0.0, 4.0, (3,))


def filled_normal(records, rng):
    return (counts(records) + torch.empty(3).normal_(0, 4.0)).tolist()


def filled_normal_half(records, rng):
    return (counts(records) + torch.empty(3).normal_(0, 2.0)).tolist()  # here


def laplace(records, rng):
    return counts(records) + torch.distributions.Laplace(0.0, 1.0).sample((3,))


def laplace_located(records, rng):
    return torch.distributions.Laplace(counts(records), 1.0).sample()


def laplace_half(records, rng):
    return counts(records) + torch.distributions.Laplace(0.0, 0.5).sample((3,))  # here


def laplace_of_exponentials(records, rng):
    noise = torch.empty(3).exponential_(1.0) - torch.empty(3).exponential_(1.0)
    return counts(records) + noise


def laplace_of_exponentials_half(records, rng):
    noise = torch.empty(3).exponential_(2.0) - torch.empty(3).exponential_(2.0)  # here
    return counts(records) + noise


def normal_of_a_seed(records, rng):
    torch.manual_seed(0)
    return counts(records) + torch.randn(3) * 4.0  # here


def normal_not_added_half(records, rng):
    torch.randn(3)
    return counts(records)  # here
