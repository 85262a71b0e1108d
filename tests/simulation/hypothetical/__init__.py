"""Hypothetical answers against their definitions: ``python -m tests.simulation.hypothetical [COUNT [FIRST]]``.

| file | what it is |
|---|---|
| `denoting` | what schematic entries denote, held against Definitions 1 and 2 |
| `expected` | what the oracle tells of a case, and what the case exercises |
| `engine` | what the engine tells of the text of a case |
| `seeds` | many cases by seed: where engine and oracles disagree |
| `names` | lines, compared but for names that are open |
| `examples` | the examples of [CruzFilipe22], state by state |
| `faults`, `planting` | small mistakes, and after how many cases each is noticed |
"""
