"""The benchmarks of graphs that are closed, or that facts are taken back from.

| file | what it is |
|---|---|
| `closure` | who closes a graph how fast, and whether they agree |
| `closure_parts` | on what the closures of two programs can be compared |
| `stream_entailment` | the university as a stream, under an entailment regime |
| `retraction` | taking facts back, against computing from scratch and against peers |
"""
