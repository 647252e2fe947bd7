"""The stability auditor: the map of a transformation beside the distances of its outputs."""
