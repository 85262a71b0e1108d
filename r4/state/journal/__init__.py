"""The journal of a run: its input events, with what was read by them.

| file | what it is |
|---|---|
| `records` | the codec: checked records, input events as bytes |
| `journal` | what was taken, in segments: one from each checkpoint to the next |
| `input_recorder` | a schedule that gives recorded events again, then records new ones |
"""
