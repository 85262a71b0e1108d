"""The core: a program that runs, in ids and ticks. `r4.run` drives it.

It puts time, retraction by name and answers on top of `rete.inference`.

| file | what it is |
|---|---|
| `core` | rules, facts, answers and progress of time, as the phases of a step |
| `rule_set` | the rules that run; how rules are added and dropped |
| `range_ends` | what static data say of variables that end ranges |
| `assertions` | how facts enter the network and the base table, and are retracted |
| `calendars` | the marks that rules read, asserted as time comes to them |
| `rederivation` | answers as they were told, in networks that derive anew |
| `change_listener` | passes what tables gain and lose to the emitter; derives all facts anew |
"""
