"""A mapping that is proposed for a table, from its first rows: what `r4 map` prints.

| file | what it is |
|---|---|
| `table_head` | the first rows of a table, and how its text is to be read |
| `time_guess` | the format in which all of some texts are times |
| `column_guess` | what a column has: its datatype, fields that stand for no value, times |
| `roles` | which column is the time, which names things, which say what a value is of |
| `mapping_text` | the mapping as TOML, each guess with its reason |
"""
