"""Possible answers in a run of streams; `temporal.hypothetical.rif_rules` finds them.

| file | what it is |
|---|---|
| `stamp_reports` | when possible answers are reported, and how a run with them begins |
| `chance_option` | how probable it is that units arrive, as text of an option |
| `json_lines` | status reports as JSON lines |
"""
