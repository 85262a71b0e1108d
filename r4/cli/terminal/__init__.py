"""What commands share about the terminal.

| file | what it is |
|---|---|
| `console` | lines on standard error, exit codes, how named files are read |
| `lazy_group` | a group of commands, each imported when it is needed |
| `line_filter` | lines of an input become lines of an output |
| `progress` | how far a run is, on a terminal only |
| `run_errors` | exit codes and messages of errors that end a run too early |
| `status_files` | files with the status of a run |
| `terminal_output` | standard output that is a terminal: control characters are escaped |
| `signals` | signals that end a run in good order, and at once |
"""
