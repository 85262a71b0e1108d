"""What a stream says, and what a run over it prints.

`run` has `Scenario`, the elements of a run, and the lines that `r4 run` prints of it;
`output_lines` writes those. `intake` reads a stream statement by statement. `retraction` has
`ElementLog`, the assertions that count when elements take others back; `rule_changes` has rules
that are added and dropped. `timed_intake` reads what arrives as time passes, event by event.
`history` has what happens in a run of any kind, and which of it counts
at which instant; `history_answers` the lines of that. `reports` has the marks of `--every` and
the lines there; `early_results` defines the lines of
`--order arrival`; `parquet_folder` reads the tables of a loaded folder.
"""
