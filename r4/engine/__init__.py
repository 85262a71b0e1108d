"""The core: a program that runs, in ids and ticks. `r4.run` drives it.

| file | what it is |
|---|---|
| `core` | networks, facts, answers and progress of time, as the phases of a step |
| `rule_set` | the rules that run, in layers of networks; which rules join and leave |
| `assertions` | how facts enter the network and the base table, and are taken back |
| `change_listener` | what tables of answers gain and lose, on its way to the emitter |
| `expiry` | rows that have ended, and terms that no row mentions any more, are forgotten |
"""
