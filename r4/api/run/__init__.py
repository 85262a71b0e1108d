"""A run of the library: data in, changes out.

| file | what it is |
|---|---|
| `engine_run` | data in: elements that are asserted and retracted go through a `r4.run.run` |
| `rule_files` | rules in files and texts, read with all that they import |
| `rulebook` | the rule documents that are compiled, and added later |
| `queries` | what holds at an instant, and why it holds |
| `engine_lock` | one call at a time: other threads wait, a second event loop is refused |
"""
