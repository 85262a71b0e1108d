"""A folder of bulk data that `r4 load` has made, and how it is opened without reading it.

| file | what it is |
|---|---|
| `layout` | what lies where in the folder |
| `index` | what it holds: files, number of terms, predicates; checksums of what is used |
| `term_columns` | the mapped columns of its terms: the base of a dictionary |
| `loaded_folder` | the folder, opened: its terms, and the rows that are selected |
"""
