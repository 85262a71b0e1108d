"""An engine that is saved, and one that goes on after a crash.

| file | what it is |
|---|---|
| `checkpoint` | an engine as a file, and back |
| `engine_state` | the folder of an engine that goes on after a crash |
| `calls` | calls that change what an engine knows: made, recorded, made again |
"""
