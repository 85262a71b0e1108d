"""What jobs on Spark share, whatever they do.

| file | what it is |
|---|---|
| `requirements` | what Spark needs on this machine |
| `session` | a Spark session that is quiet |
| `tasks` | rows to tasks, and the results of tasks back |
| `atomic_files` | files that tasks leave for others, each whole or not there |
| `file_slices` | the lines of a part of a file |
"""
