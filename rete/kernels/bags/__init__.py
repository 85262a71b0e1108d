"""Kernels of aggregates: members of many groups come and go, and values are asked for.

| module | what is in it |
|---|---|
| `pure_timeline` | the changes of groups that are to come, in the order of time |
| `pure_numbers` | the texts of computed numbers |
| `pure_values` | bags of groups, and their values after each change; counts, sums, means |
| `pure_choices` | bags of any aggregate; those whose members are chosen by their order |

`_blocks.pxd` has the members of `_choices` in their order; in Python `sortedcontainers` has them.
"""
