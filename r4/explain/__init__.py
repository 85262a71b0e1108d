"""Why a fact holds or does not: explanations as values, and the rooms that find and write them.

| room or file | what it is |
|---|---|
| `question` | a question about a fact, answered from a state or a playback: why, and why not |
| `justification` | minimal justifications: instances of rules, hitting sets, temporal proofs |
| `datalog_mtl` | the same for facts of DatalogMTL models, in intervals |
| `rendering` | explanations as text, JSON and SVG, in the names and words of the rules |
| `lacks` | what rules lack that could derive a fact, as values |
| `explanation` | explanations as values: proof trees, what ended a fact |
| `tick_spans` | intervals of ticks: made of cells, coalesced |

`question` imports `rendering` and `justification`, `datalog_mtl` all three; nothing imports these
two but the library and the command line.
"""
