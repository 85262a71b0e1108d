"""How a model goes on for ever: it repeats to the left and to the right of the data [DRedMTL26].

| file | what is in it |
|---|---|
| `change_points` | where facts begin and cease on one side of the data |
| `tails` | the least period on one side, and the first cell from which on it holds |
| `atom_tails` | the same of single atoms |
| `windows` | the ruler, and the two windows on it that a period lies between |
| `period_search` | the periods on both sides, from what is known within a horizon |
| `unfolding` | rows coalesced, repeated, continued, reflected at 0 |
| `periodic_model` | a whole model: rows up to the windows, and the periods |
"""
