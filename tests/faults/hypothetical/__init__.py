"""Small mistakes that one can make with hypothetical answers; random cases must notice each.

| file | where they are |
|---|---|
| `schemata` | in what a query needs of its input |
| `entries` | in what entries there are, and for how long |
| `telling` | in what is said of them |
| `chances` | in how probable they are, and what is dropped |
"""
