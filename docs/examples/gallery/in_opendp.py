"""Measurements of OpenDP as functions of records with one value each."""

import opendp.prelude as dp

dp.enable_features("contrib", "honest-but-curious")

WHOLE = dp.vector_domain(dp.atom_domain(T=int, bounds=(0, 10))), dp.symmetric_distance()
FLOATS = (
    dp.vector_domain(dp.atom_domain(T=float, bounds=(0.0, 10.0), nan=False)),
    dp.insert_delete_distance(),
)
TEXTS = dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance()


def clipped_sum():
    return WHOLE >> dp.t.then_sum()


laplace_sum = clipped_sum() >> dp.m.then_laplace(scale=10.0)
float_sum = FLOATS >> dp.t.then_sum() >> dp.m.then_laplace(scale=10.1)
gaussian_sum = clipped_sum() >> dp.m.then_gaussian(scale=10.0)
approximate_sum = dp.c.make_fix_delta(
    dp.c.make_zCDP_to_approxDP(clipped_sum() >> dp.m.then_gaussian(scale=10.0)), 1e-2
)
geometric_count = WHOLE >> dp.t.then_count() >> dp.m.then_geometric(scale=1.0)
histogram = (
    TEXTS
    >> dp.t.then_count_by_categories(categories=["0", "1", "2"], null_category=False)
    >> dp.m.then_laplace(scale=1.0)
)
response = dp.m.make_randomized_response_bool(prob=0.75)
composition = dp.c.make_composition([laplace_sum, geometric_count])
stated_too_small = dp.t.make_user_transformation(
    *WHOLE, dp.atom_domain(T=int), dp.absolute_distance(T=int), sum, lambda d: 5 * d
) >> dp.m.then_laplace(scale=5.0)
