"""A folder of bulk data that `r4 load` has made, and how it is opened without reading it.

| file | what it is |
|---|---|
| `layout` | what lies where in the folder |
| `index` | what it holds: files, number of terms, predicates |
| `checksums` | of what is used of its files, compared before it is |
| `term_columns` | the mapped columns of its terms: the base of a dictionary |
| `blank_node_numbers` | its blank nodes under the numbers that their documents have in a run |
| `loaded_folder` | the folder, opened: its terms, and the rows that are selected |
"""
