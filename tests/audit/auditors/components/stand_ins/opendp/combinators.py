from opendp.mod import Measurement


def make_chain_mt(measurement1, transformation0):
    return Measurement(
        transformation0.input_domain,
        transformation0.input_metric,
        measurement1.output_measure,
        lambda arg: measurement1._function(transformation0(arg)),
        lambda apart: measurement1.map(transformation0.map(apart)),
    )
