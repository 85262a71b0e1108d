"""What jobs on Spark have in common, whatever they do.

| file | what it is |
|---|---|
| `needs` | what Spark needs on this machine |
| `session` | a Spark session that is quiet |
| `tasks` | what goes through Spark: rows to tasks, what is told of units back |
| `files` | what tasks leave for others: files that are whole |
| `slices` | the lines of a part of a file |
"""
