"""`r4 mtl`: rules with metric time over facts with intervals.

| file or room | what it is |
|---|---|
| `group` | the table of the commands |
| `commands` | the commands |
| `inputs` | reads a program, data and limits |
| `misspellings` | warnings of predicates and constants that were most likely meant otherwise |
| `limited_model` | the model of a program, as far as the limits allow, and its inconsistencies |
| `model_text` | which facts of a model are shown, from when to when, a fact a line |
"""
