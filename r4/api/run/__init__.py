"""A run of the library: data in, changes out.

| file | what it is |
|---|---|
| `engine_run` | data in: elements that are asserted and retracted go through a `r4.run.run` |
| `rulebook` | rules in files and texts, with all that they import: compiled, and added later |
| `queries` | what holds at an instant, and why it holds |
| `engine_lock` | one call at a time: other threads wait, a second event loop is refused |
"""
