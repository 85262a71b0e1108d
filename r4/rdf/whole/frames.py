"""What goes through the pipes between R4 and a process that reads documents: frames.

A frame is its kind, one byte; its size, four bytes; and so many bytes. To the process go, for each
document, one `HEAD`, its text as `TEXT`, and an empty `TEXT`; back come `QUADS` and one `END`.
Heads and ends are JSON: nothing that comes through a pipe is code.
"""

from __future__ import annotations

import struct
from typing import Final

HEAD: Final = b"H"
TEXT: Final = b"T"
QUADS: Final = b"Q"
END: Final = b"E"
_FRONT: Final = struct.Struct("!cI")
FRONT_SIZE: Final = _FRONT.size
"""Bytes before the content of a frame."""
NO_MEMORY: Final = 3
"""The exit code of a process that has no memory left."""


def frame(kind: bytes, content: bytes) -> bytes:
    """A frame of less than 4 GiB."""
    return _FRONT.pack(kind, len(content)) + content


def front_of(data: bytes) -> tuple[bytes, int]:
    """The kind and the size of a frame that begins with ``data``."""
    kind, size = _FRONT.unpack(data)
    return bytes(kind), int(size)
