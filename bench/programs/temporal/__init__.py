"""The programs of metric time and of hypothetical answers.

| file | what it is |
|---|---|
| `follow_readings` | follows hypothetical answers, or runs the plain network |
| `run_with_hypotheses` | runs rules over a stream, with or without possible answers |
| `materialise_model` | derives the model of a program with metric time |
| `compare_models` | compares the model of a peer with that of R4 |
| `update_model` | a live model follows deletions and insertions, against deriving it anew |
| `follow_change` | the same of one change, on a small slice that a peer follows, too |
"""
