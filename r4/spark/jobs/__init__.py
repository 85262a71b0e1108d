"""What all jobs on Spark share.

| file | what it is |
|---|---|
| `session` | a Spark session that is quiet, and what Spark needs on this machine |
| `tasks` | sends rows to tasks, and collects their results |
| `atomic_files` | files that tasks leave for others, each whole or not there |
| `file_slices` | the lines of a part of a file |
"""
