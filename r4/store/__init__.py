"""A folder that `r4 load` has made, and how it is opened without reading it.

| file | what it is |
|---|---|
| `folder` | what lies where in it |
| `index` | what it holds: the files, how many terms, which predicates |
| `columns` | the mapped columns of its terms: the base of a dictionary |
| `asked` | which triples a program can ask for |
| `opened` | the folder, opened: its terms, and the rows that are asked for |
| `numbering` | blank nodes under the numbers that their documents have in a run |
"""
