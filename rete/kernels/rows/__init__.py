"""Kernels on matrices of rows.

| module | what is in it |
|---|---|
| `pure_matrix` | row matrices |
| `pure_store` | the fact store, and its hash indexes; `_block`: memory of the compiled one |
| `pure_intervals` | sets of maximal intervals, or one row a start: absorb, unite, remove, find |
| `pure_coverage` | what rows of stores, pairs of them, boxes or diamonds do not cover |
| `pure_probes` | probes of a stored row matrix (joins), and the routing of facts to scans |
| `pure_metric` | diamonds, boxes, Since and Until |
| `pure_projection` | rows with other columns, together, or within bounds |
| `pure_lists` | triples that rows list, in order |
"""
