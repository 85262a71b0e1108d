"""The arrays that everything is made of.

| module | what is in it |
|---|---|
| `delta` | row matrices: what travels on the edges of the network |
| `term_columns` | the columns of a dictionary, mapped terms, the numbers that terms stand for |
| `lexical_classes` | sets of terms that guards of datatypes cannot tell apart |
| `state_codec` | what saved state is made of, and how it is read back |
"""
