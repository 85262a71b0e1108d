"""A model as a picture: when facts hold, on a line of time, with what repeats for ever.

| file | what is in it |
|---|---|
| `lanes` | which facts are drawn, and when they hold within a window |
| `axis` | from ticks to pixels, and the marks along the line of time |
| `bars` | the intervals of a fact, with their ends |
| `bands` | the segment, and the periods with their repetitions |
| `style` | colours, for light and for dark pages, and the legend |
| `drawing` | the whole picture |
"""

from temporal.picture.drawing import ModelPicture
from temporal.picture.lanes import TooManyIntervals, window_of

__all__ = ["ModelPicture", "TooManyIntervals", "window_of"]
