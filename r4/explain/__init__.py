"""Why a fact holds: the asserted facts and the rules it rests on, as a tree.

| file | what it is |
|---|---|
| `ways` | instances of rules as values |
| `ground` | the state, asked backwards: what derives a fact |
| `hypergraph` | instances of rules at an instant, and least proofs in them |
| `minimal` | the minimal sets of asserted facts that give a fact then |
| `retrace` | in which order facts follow, where very much leads to one |
| `spans` | sets of cells, and what metric operators make of them |
| `grounding` | instances of rules at all times that lead to a fact |
| `model` | when all of these are true, given some facts |
| `reasons` | minimal sets of asserted facts with their times |
| `proof`, `timing` | what makes what true when; how long, and what ends it |
| `justify` | the justifications of a fact |
| `tree`, `ticks` | explanations as values, and their times |
| `planting`, `growing` | the leaves of a tree, and all that stands above them |
| `why` | what an engine says about a fact at an instant |
| `missing` | what rules lack that could derive a fact |
| `meant` | which terms may be meant by an unknown one |
| `playback` | a run that stops at an instant, and where the fact ends |
| `journal` | what was asserted of late, for instants that are gone |
| `answer` | what `Engine.explain` returns |
| `asking` | the fact that is asked for, as text |
| `wording`, `glosses` | what terms and rules are called |
| `conditions` | conditions in the words of the rules |
| `prefixes` | prefixes for IRIs that the rules have none for |
| `grouping` | what is shown together |
| `phrases`, `absent` | what is said of times, origins and ends; of a fact that does not hold |
| `text`, `export` | an explanation for a terminal, as JSON |
| `picture`, `boxes` | the same in SVG, and what stands in its boxes |
"""
