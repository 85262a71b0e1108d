"""The benchmarks of metric time and of hypothetical answers.

| file | what it is |
|---|---|
| `metric_streams` | follows published streams with metric time |
| `model_updates` | models that follow changes of their data, against deriving them anew |
| `slice_updates` | who follows a change of a small model how fast: R4 and a peer |
| `mtl_models` | who derives the models of programs with metric time how fast |
| `hypotheses` | hypothetical answers, against the plain network |
| `possible_answers` | possible answers of rules, against the same rules without |
"""
