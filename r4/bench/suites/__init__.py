"""The benchmarks: who runs what, round by round, and the ratios and bounds that follow."""
