"""planted faults, each a small mistake that the comparisons must detect; `make soak` alone"""
