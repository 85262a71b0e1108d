"""The metric operators and event times as formulas of RIF, for rules over streams.

| file | what is in it |
|---|---|
| `kinds` | the operators as kinds of formula of `rif`, and their plans as conditions of a rule |
| `events` | event times and calendars: `At`, `Ended`, `From`, `Every` |
| `event_kinds` | these as kinds of formula |
| `event_lowering` | these as conditions of a rule |
| `range_ends` | ranges that end in a variable, which static data bind |
| `calendars` | the calendar of an `Every`, and the text that stands for it |
| `syntax` | reads and writes them in the presentation syntax; reads their ranges |
"""
