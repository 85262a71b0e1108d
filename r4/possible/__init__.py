"""Possible answers in a run of streams; `temporal.hypothetical.rif_rules` finds them.

| file | what it is |
|---|---|
| `tracking` | which rules are followed, and the core of a run with them |
| `chance_option` | how probable it is that units arrive, as text of an option |
| `json_lines` | status reports as JSON lines |
"""
