"""The sessions that run streams for commands: errors as exit codes, lines for a person.

| file | what it is |
|---|---|
| `stream_session` | a `r4.run.stream_run`: its answers in a form, its errors, its end in words |
| `input_end` | standard input after the end of the run |
| `run_summary` | the lines at its end: what it did, what matched nothing, which stamps lack |
"""
