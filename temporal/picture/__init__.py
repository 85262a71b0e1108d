"""A model as a picture: when facts hold, on a line of time, with what repeats for ever.

| file | what it is |
|---|---|
| `lanes` | which facts are drawn, and when they hold within a window |
| `axis` | from ticks to pixels, and what stands along the line |
| `bars` | the intervals of a fact, with their ends |
| `bands` | the segment, and the periods with their repetitions |
| `legend` | what the signs mean |
| `style` | colours, for light and for dark pages |
| `drawing` | the whole picture |
"""

from temporal.picture.drawing import ModelPicture
from temporal.picture.lanes import TooManyIntervals, window_of

__all__ = ["TooManyIntervals", "ModelPicture", "window_of"]
