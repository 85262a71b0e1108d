"""Findings: what a run shows about rules without answers, told at its end.

| file | what it finds |
|---|---|
| `pattern_coverage` | patterns of rules that no fact matched, with the nearest name that occurs |
| `unmet_bodies` | rules whose patterns all matched, but never together |
| `dangling_tuples` | values of a stream for which static data have no partner |
| `near_misses` | terms of equal values in joins that did not meet |
| `apart_joins` | joins of patterns that have no value in common |
| `reading_gaps` | facts that end before the next one of their subject comes |
| `data_check` | all of these, of rules and data, without answers: `r4 check --with` |
| `similar_terms` | terms that look alike and are two |
| `joined_patterns` | what bodies join, with the rows that are held |
"""
