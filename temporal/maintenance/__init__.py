"""Maintenance: least models that follow their data, without being derived anew.

| file | what is in it |
|---|---|
| `live_model` | a model that is updated, phase by phase |
| `model_state` | what a live model is saved as |
| `update_method` | how a model is updated, or derived anew; facts and seconds of each phase |
| `explicit_data` | the explicit facts, an interval set for each atom |
| `end_points` | the end points of the data, counted: the ruler |
| `net_change` | what a table gained and lost in the end |
| `fact_changes` | the same of the whole model, and the rows of changed atoms |
| `tail_counts` | how the model goes on to both sides: periods and onsets of all atoms, counted |
"""
