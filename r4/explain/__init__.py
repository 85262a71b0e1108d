"""Why a fact holds: the asserted facts and the rules it rests on, as a tree.

| file | what it is |
|---|---|
| `ground` | the state at an instant, asked backwards: what derives a fact |
| `justify` | the minimal sets of asserted facts from which a fact follows |
| `tree` | explanations as values |
| `planting` | trees of justifications, with names and times |
| `why` | what an engine says about a fact at an instant |
| `missing` | what rules lack that could derive a fact |
| `playback` | a run that stops at an instant, and where the fact ends |
| `journal` | what was asserted of late, for instants that are gone |
| `answer` | what `Engine.explain` returns |
| `asking` | the fact that is asked for, as text |
| `wording` | what terms, rules and conditions are called |
| `text`, `export`, `picture` | an explanation for a terminal, as JSON, in SVG |
"""
