"""Materialisation: from a program and a dataset to the least model.

| file | what is in it |
|---|---|
| `materialisation` | rounds within a horizon that grows until the whole model is known |
| `limits` | limits of a materialisation, its clock and its progress |
| `unbounded_evaluation` | operators with ranges to infinity, evaluated on periodic models |
| `least_model` | the result |
| `violations` | constraints: where a model is inconsistent, and by which instances of rules |
"""
