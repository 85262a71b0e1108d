"""What is reported of answers: which entries become lines, in which order, and their JSON text.

| file | what is in it |
|---|---|
| `line_templates` | JSON text of a line, with slots for values |
| `single_entries` | lines in columns, where each answer has one entry at a time |
| `single_top_k` | at most k entries there |
| `competing_entries` | lines answer by answer, where an answer may have several entries |
| `competing_top_k` | at most k entries there |
| `entry_schema` | from the values of an entry to its answer and its atoms, as texts |
| `answer_state` | the sets of hypotheses of one answer, and what changed at a moment |
| `answer_instances` | answers with free variables, and how many of their instances have entries |
"""
