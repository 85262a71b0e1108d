"""Programs with aggregates, event times and the calendar, and histories for them.

| file | what is in it |
|---|---|
| `parts` | patterns, ranges, marks |
| `aggregates` | aggregates of random conditions |
| `programs` | rules, mostly with an aggregate |
| `histories` | such rules as a `Meeting`, in ticks or in hours around the day when clocks jump |
| `open_ranges` | the same with ranges that end in variables, which static data bind |
| `features` | what a case has, and which rules answer |
| `profile` | how many cases have each feature |
| `loop_cases` | rules over a random stream, with their answers by a loop over it |
| `control_rules` | such cases: throttles, cooldowns, deadbands, state machines, latches |
| `window_rules` | such cases: aggregates of windows, and of the last few readings |
"""
