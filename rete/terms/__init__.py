"""Terms and their ids.

| module | what is in it |
|---|---|
| `dictionary` | canonical text to id and back; which terms are forgotten |
| `nquads` | N-Quads and N-Triples text to rows of ids |
| `literal_values` | literals by value: one text for all terms of a value |
| `equality_classes` | terms that are equal for ever, and the representative of each class |
| `static_triples` | triples that always hold, while they come in |
"""
