class Transformation:
    def __init__(self, domain, metric, output_domain, output_metric, function, stable):
        self.input_domain, self.input_metric = domain, metric
        self.output_domain, self.output_metric = output_domain, output_metric
        self._function, self.map = function, stable

    def __call__(self, arg):
        return self._function(arg)

    def __rshift__(self, measurement):
        from opendp.combinators import make_chain_mt

        return make_chain_mt(measurement, self)


class Measurement:
    def __init__(self, domain, metric, measure, function, private):
        self.input_domain, self.input_metric, self.output_measure = domain, metric, measure
        self._function, self.map = function, private

    def __call__(self, arg):
        from opendp.core import measurement_invoke

        return measurement_invoke(self, arg)
