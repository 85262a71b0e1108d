"""What all jobs on Spark share.

| file | what it is |
|---|---|
| `requirements` | what Spark needs on this machine |
| `session` | a Spark session that is quiet |
| `tasks` | sends rows to tasks, and collects their results |
| `atomic_files` | files that tasks leave for others, each whole or not there |
| `file_slices` | the lines of a part of a file |
"""
