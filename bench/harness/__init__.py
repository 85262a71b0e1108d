"""The shape of a benchmark, and how its programs are run and measured.

| file | what it is |
|---|---|
| `benchmark` | the shape: a request, findings, names and what they lack |
| `peer` | a system that R4 is compared with |
| `process_usage` | one run in a process of its own: seconds, processor time, peak memory |
| `launch` | the small program that starts it |
| `rounds` | programs that run in turns, round by round, and report on their own run |
| `counted_runs` | those whose reports have counts of lines |
| `graph_marks` | how long a graph takes, by marks that a program makes |
| `bounds` | ratios and the bounds that R4 means to keep, with their table and JSON |
| `tables` | a table as text, values as JSON |
"""
