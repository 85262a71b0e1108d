"""Metric time on the network of `rete`. Holds nothing yet."""
