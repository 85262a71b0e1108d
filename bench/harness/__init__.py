"""How a program is measured: a process, its rounds, the ratios and bounds of its figures.

| file | what it is |
|---|---|
| `process_usage` | one run in a process of its own: seconds, processor time, peak memory |
| `launch` | the small program that starts it |
| `rounds` | programs that run in turns, round by round, and report on their own run |
| `graph_marks` | how long a graph takes, by marks that a program makes |
| `bounds` | ratios and the bounds that R4 means to keep, with their table and JSON |
| `tables` | a table as text |
"""
