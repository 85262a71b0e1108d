"""Possible answers of RIF rules over streams: what may become true, on what evidence.

A rule that has all but some of its conditions met may yet be met. `shapes` turns each such choice
into a further rule, so that evidence is rows of the one network [CruzFilipe22, Definitions 1-6].

| file | what it is |
|---|---|
| `faults` | why a rule is not followed |
| `formulas` | conditions as patterns: substituted, unified, kept apart |
| `rules` | the rules of documents, one head and one body each |
| `expected` | what may still come, and what always holds |
| `resolution` | from a rule to the patterns of input that lead to its head |
| `derivations` | these as units, each of which arrives at one time |
| `shapes` | the rules that are added, and what their rows tell |
| `foreseeing` | all of that: what is added to a program |
| `beginning` | how a run with these begins |
| `lateness` | how late a unit may come |
| `chances` | how probable it is that one comes |
| `chance_text` | that as text |
| `reading` | what a row of evidence tells, in ids and cells |
| `hypotheses` | when one set of hypotheses makes another needless |
| `entries` | what is possible, fact by fact |
| `confidence` | how probable it is that all comes that an entry waits for |
| `most` | which entries are held where there is a cap |
| `holding` | the rows of evidence of a run: they come, go and run out |
| `certainty` | which facts are derived by now |
| `foresight` | what is to be said of both |
| `reasons` | why something is possible no more |
| `moments` | when it is told |
| `told` | what is told |
| `writing` | from ids and cells to that |
| `lines` | that as JSON |
"""
