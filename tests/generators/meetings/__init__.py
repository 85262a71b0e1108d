"""Programs and histories that draw from all dimensions at once.

| file | what is in it |
|---|---|
| `dimensions` | the dimensions; which of them cannot meet, and why |
| `programs` | rules, by dimension |
| `histories` | `Meeting`: a history, and how it is run |
| `features` | which dimensions a case has |
| `number_constants` | the same with numbers that rules write otherwise than the data |
| `text` | its rules and streams as files |
| `shrinking` | the smallest part of a case that still fails |
"""
