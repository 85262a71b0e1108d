"""Inference: rules that run.

`InferenceEngine` is the door: it builds the networks of plans, and it takes facts in and out. No
other module of the product builds a network, or runs an agenda.

| module | what is in it |
|---|---|
| `inference_engine` | networks, asserted facts and agenda of some rules, as one object |
| `agenda` | which delta is carried next, until none is left |
| `row_plan` | the network as flat arrays for single rows, or why it cannot be one |
| `row_executor` | single elements through such a network |
| `errors` | what ends a run of the agenda |
"""
