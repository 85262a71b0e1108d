"""Small mistakes that one can make with metric time, to be planted; the cases must notice each.

| file | where they are |
|---|---|
| `operators` | in what an operator makes of intervals, and where rules are joined |
| `periods` | in how a model is known to go on, and in what is asked of it |
| `streams` | in what is forgotten and taken back while facts come |
"""
