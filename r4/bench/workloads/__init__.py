"""Streams, graphs and published programs that are measured, and what must come out of them."""
