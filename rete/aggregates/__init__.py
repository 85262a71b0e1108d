"""Aggregates: the value of a bag of terms that come and go.

| file | |
|---|---|
| `members` | a term as a member of a bag: what kind of value it is, and its place in the order |
| `bags` | a bag for each aggregate: members come and go, and the value is asked for |
"""
