"""A folder that `r4 load` has made, and how it is opened without reading it.

| file | what it is |
|---|---|
| `folder` | what lies where in it |
| `index` | what it holds: the files, how many terms, which predicates |
| `columns` | the mapped columns of its terms: the base of a dictionary |
"""
