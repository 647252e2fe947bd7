"""The quality scores of the Python package SDMetrics."""
