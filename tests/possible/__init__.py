"""Possible answers of RIF rules against their definition: ``python -m tests.possible [COUNT]``.

| file | what it is |
|---|---|
| `cases` | random worlds: rules, a stream, how it is read; their texts |
| `comparing` | what the engine tells of a world, held against the oracle |
| `seeds` | many worlds: where they disagree, what they are made of |
| `faults` | small mistakes, to be planted in the engine |
"""
