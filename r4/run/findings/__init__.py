"""Findings: what a run shows about rules without answers, told at its end.

| file | what it finds |
|---|---|
| `pattern_coverage` | patterns of rules that no fact matched, with the nearest name that occurs |
| `unmet_bodies` | rules whose patterns all matched, but never together |
| `dangling_tuples` | values of a stream for which static data have no partner |
| `near_misses` | terms of equal values in joins that did not meet |
| `joined_patterns` | what bodies join, with the rows that are held |
"""
