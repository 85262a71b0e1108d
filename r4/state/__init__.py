"""State of a run that lasts: a folder from which the same command goes on after any end.

| file or room | what it is |
|---|---|
| `files` | the file system as the others use it: append, sync, replace whole, remove |
| `journal` | the input events, recorded with what was read, and given again |
| `manifest` | which command the folder belongs to |
| `folder` | the folder: its lock, what is in it, what is needed, pruning, verification |
| `checkpoint_writer` | writes checkpoints beside the run, in a child process |
| `run_checkpoint` | what a checkpoint of a run has, and the way back |
| `output_commit` | files that are cut back and continued; numbered lines; answers that wait |
| `run_state` | all of these for one run |
| `migration` | other rules that take over the state of a run that has stopped |
| `summary` | where a run is, as `r4 state show` prints it |
| `errors` | why a state is refused or lost |

What a run tells is a function of the bytes of its sources and of its input events
(`r4.stream.input_events`). The journal has both, as far as they cannot be had again: of a pipe the
bytes, of a file how many. It reaches the disk before anything is told that depends on it. A
checkpoint has the engine, the readers of the sources and the length of the output, all between the
same two events. To go on, the last checkpoint is restored, the output is cut back to its length,
and the events behind it happen again.
"""
