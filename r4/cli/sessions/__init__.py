"""The sessions that run streams for commands.

| file | what it is |
|---|---|
| `stream_session` | the run of `r4 run`, from its options to the report at its end |
| `evidence_rules` | the rules behind its possible answers, and which rules have none |
| `reference_updates` | static documents and rules that are read again in that run |
| `input_end` | standard input after the end of the run |
| `session_options` | its options as values |
| `run_summary` | the lines at its end: what it did, and what matched nothing |
| `stamp_faults` | the line about stamps that are not where they are looked for |
| `explain_session` | the run behind `r4 explain`, read as far as the question needs |
"""
