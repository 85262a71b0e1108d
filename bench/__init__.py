"""The benchmarks of `r4 bench`: R4 beside other systems, and beside limits that it means to keep.

| room or file | what it is |
|---|---|
| `command` | the command line |
| `benchmarks` | the table of names that can be asked for |
| `programs` | R4's own programs that suites start as a process each |
| `suites` | the benchmarks, a file each |
| `peers` | the systems that R4 is compared with, each a program of its own |
| `report` | what was found, as files with pictures |
| `harness` | the shape of a benchmark; measured processes, rounds, ratios, bounds, tables |
| `workloads` | streams, graphs and published programs, with the answers that are right |

A new benchmark is a file in `suites` and a member of `BENCHMARKS` in `benchmarks`.
``python -m bench STREAM COUNT`` writes a stream to standard output.
"""
