"""Programs with aggregates, event times and the calendar, and histories for them.

| file | what is in it |
|---|---|
| `parts` | patterns, ranges, marks |
| `aggregates` | aggregates of random conditions |
| `programs` | rules, mostly with an aggregate |
| `histories` | such rules as a `Meeting`, in ticks or in hours around the day when clocks jump |
| `features` | what a case has, and which rules answer |
| `control_rules` | throttles, cooldowns, deadbands, machines, latches, with answers by a loop |
| `profile` | how many cases have each feature |
"""
