"""`r4 mtl`: rules with metric time over facts with intervals.

| file or room | what it is |
|---|---|
| `group` | the table of the commands |
| `commands` | the commands |
| `inputs` | reads a program, data and limits |
| `lower_case_constants` | warnings of constants that were most likely meant as variables |
| `data_predicates` | warnings of predicates that only the data or only the rules have |
| `limited_model` | the model of a program, as far as the limits allow |
| `inconsistency` | what is said of a model that violates constraints |
| `answer_filter` | selects the facts of a model that are shown, from when to when |
| `model_text` | writes a model, a fact a line |
"""
