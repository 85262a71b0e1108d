"""The commands of `r4 mtl`: rules with metric time over facts with intervals.

| file | what it is |
|---|---|
| `group` | the table of the commands |
| `materialise` | prints all that follows |
| `update` | prints what follows after facts were deleted and inserted |
| `entails` | decides whether a fact follows |
| `stream` | answers a query along a stream of facts |
| `explain` | says why a fact holds in an interval, or where it does not |
| `check` | reports all faults of a program, and its kind |
| `inputs` | reads a program, data and limits |
| `inconsistency` | what is said of a model that violates constraints |
| `limited_model` | the model of a program, as far as the limits allow |
| `model_text` | writes a model, a fact a line |
| `data_predicates` | warnings of predicates that only the data or only the rules have |
| `lower_case_constants` | warnings of constants that were most likely meant as variables |
| `answer_filter` | selects the facts of a model that are shown, from when to when |
"""
