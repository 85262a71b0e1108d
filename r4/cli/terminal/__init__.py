"""What a command says to the person at the terminal.

| file | what it is |
|---|---|
| `console` | lines on standard error, exit codes, how named files are read |
| `lazy_group` | a group of commands, each imported when it is needed |
| `progress` | how far a run is, on a terminal only |
| `run_errors` | the exit code of what ends a run too early, and what is said of it |
"""
