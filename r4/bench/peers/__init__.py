"""What R4 is compared with: small programs, each run in a process of its own.

| file | what it does with the stream |
|---|---|
| `parse_only` | reads it into terms and does nothing |
| `hand_join` | joins it by hand, for q1 |
| `store_requery` | asks a SPARQL store anew at every second of event time |
| `clips_rete` | asserts it, fact by fact, to CLIPS, for q1 |
| `close_owlrl`, `close_reasonable` | no stream: close a graph under RDFS or OWL 2 RL |
| `mtl_meteor` | no stream: derives the model of rules with metric time |
"""
