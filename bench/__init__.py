"""What `r4 bench` measures: workloads, R4 and its peers, ratios and bounds.

| room or file | what it is |
|---|---|
| `command` | the command line |
| `benchmarks` | the table of names that can be asked for |
| `report` | what was found, as tables for people and JSON for programs |
| `programs` | R4's own programs that suites start as a process each |
| `suites` | the benchmarks: who runs what, round by round, and the bounds that follow |
| `peers` | what R4 is compared with, each a program of its own |
| `harness` | a measured process; rounds, ratios, bounds, tables |
| `workloads` | streams, graphs and published programs, with the answers that are right |

A new benchmark is a module in `suites`, one in `report` and a row in `benchmarks`.
``python -m bench STREAM COUNT`` writes a stream to standard output.
"""
