"""Which hypotheses have arrived: plans, tables of entries, deadlines.

| file | what is in it |
|---|---|
| `hypothesis_masks` | sets of hypotheses that must be joined to find all entries; their plans |
| `entry_table` | the table of entries: values, and which hypotheses have arrived |
| `instance_lookup` | a number for each instance of an atom, looked up once; deadlines |
"""
