"""Why a fact holds: the asserted facts and the rules it rests on, as a tree.

| file | what it is |
|---|---|
| `ground` | the state at an instant, asked backwards: what derives a fact |
| `hypergraph` | instances of rules, and least proofs in them |
| `minimal` | the minimal sets of asserted facts that give a fact |
| `retrace` | in which order facts follow, where very much leads to one |
| `justify` | the justifications of a fact |
| `tree` | explanations as values |
| `planting` | trees of justifications, with names and times |
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
