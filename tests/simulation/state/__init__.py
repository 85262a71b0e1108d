"""Runs with a state that are killed and begun again, compared with runs that never were.

`crashing_files` is a file system that stops at an operation and forgets what was not synced, of
files that are a `watched_file` each;
`killed_run` compares a `killed_case` in this process, in a `scripted_world`; `killed_process` kills
real processes, `killed_engine` is about the library.
"""
