"""Retraction against its definition: ``python -m tests.simulation.retraction [COUNT [FIRST [KIND]]]``.

| file | what it is |
|---|---|
| `programs` | the rules of a story as programs of the engine |
| `rulebook` | which rules there are, and from when until when |
| `fresh` | a fresh engine as the definition, where there is a background |
| `player` | an engine to which facts are told, with its lines as those of the oracle |
| `run` | a story being played, step by step |
| `watch` | what is compared after a step, with the oracle and with a fresh engine |
| `memory` | what an engine remembers, in texts |
| `by_hand` | stories that are written by hand, those of `tests/test_retraction_cases` |
| `showing` | a disagreement, and its story, to be read |
| `seeds` | the mix of kinds; many stories by seed, with what they exercise |
| `faults`, `planting` | small mistakes, and after how many stories each is noticed |
"""
