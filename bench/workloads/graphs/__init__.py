"""Graphs that are closed, or that facts are taken back from.

| file | what it is |
|---|---|
| `university` | an ontology, and as many assertions as asked for |
| `retraction_graphs` | the graphs that facts are taken back from |
"""
