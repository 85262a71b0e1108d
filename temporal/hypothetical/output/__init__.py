"""Reports of answers: which entries become lines, in which order, and their JSON text.

| file | what is in it |
|---|---|
| `answer_reports` | from the changes of tables to lines: what a query has of the rest |
| `rival_entries` | the minimal sets of hypotheses of answers that may have several |
| `schematic_parts` | which have one without evidence, or with free variables, as a part |
| `embeddings` | with which values a set of hypotheses is a part of another |
| `rival_states` | their states in columns, and until when these are kept under a cap |
| `answer_lines` | lines in order, in columns |
| `line_templates` | JSON text of a line, with slots for values |
| `entry_columns` | from the values of entries to their answers and atoms, and the order of these |
"""
