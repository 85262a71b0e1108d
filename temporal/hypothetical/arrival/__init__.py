"""Facts as they arrive: lines to slices; how late and how probable facts are.

| file | what is in it |
|---|---|
| `intake` | lines in, whole slices in columns out; which lines are refused |
| `line_columns` | a line, token by token; a chunk of lines as columns; the count of refused lines |
| `instance_patterns` | a value for each instance of a predicate, by patterns that options give |
| `lateness` | how late facts may be, and how probable it is that they arrive; open answers |
"""
