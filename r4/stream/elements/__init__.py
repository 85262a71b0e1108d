"""The elements of one source: found in its chunks, and judged.

| file | what it is |
|---|---|
| `segmentation` | where elements begin and end in a chunk |
| `judged_elements` | elements with ticks and verdicts: the table that all later stations share |
| `transactions` | what is judged in sequence: kinds of stamps, inherited stamps, transactions |
| `time_predicates` | which predicates have times, where the one that was named has none |
| `stamp_places` | where stamps stand that are not with the triples of their elements |
"""
