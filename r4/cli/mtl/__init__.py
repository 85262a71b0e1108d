"""The commands of `r4 mtl`: rules with metric time over facts with intervals.

| file | what it is |
|---|---|
| `group` | the table of the commands |
| `materialise` | all that follows |
| `entails` | does a fact follow? |
| `check` | all faults of a program, and what kind of program it is |
| `inputs` | a program, data and limits, as the commands are given them |
| `limited_model` | the model of a program, as far as limits let it be found |
| `answer_filter` | which facts of a model are shown, from when to when |
"""
