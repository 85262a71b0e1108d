"""Possible answers of RIF rules against their definition: ``python -m tests.simulation.possible [COUNT]``.

| file | what it is |
|---|---|
| `cases` | random worlds: rules, a stream, how it is read; their texts |
| `comparing` | what the engine tells of a world, held against the oracle |
| `following` | whether that follows, line by line |
| `seeds` | many worlds: where they disagree, what they are made of |
| `tried` | small runs that are written by hand |
| `faults` | small mistakes, to be planted in the engine |
| `faults_ranked` | others, in confidences and in what is dropped |
"""
