"""Interrupts at one bytecode of a call: what a signal handler, or the lack of memory, may raise.

`interrupted(call, number)` raises `Interrupt` in place of the bytecode of that number, of those in
the packages of R4; a signal can come at fewer of them, so this is the harder test.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, Final

_ROOT: Final = str(Path(__file__).parents[1])
_PACKAGES: Final = tuple(f"{_ROOT}/{name}/" for name in ("r4", "rete", "rif", "temporal"))


class Interrupt(BaseException):
    """Comes from outside; nobody catches it by accident."""


def interrupted(call: Callable[[], object], number: int) -> int:
    """Call, with an `Interrupt` at the bytecode of that number, from 0; how many there were.

    Fewer than ``number`` if the call ended before; then nothing was raised.
    """
    count = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        if event == "call":
            if not frame.f_code.co_filename.startswith(_PACKAGES):
                return None
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
        elif event == "opcode":
            count += 1
            if count > number:
                sys.settrace(None)
                raise Interrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    except Interrupt:
        pass
    finally:
        sys.settrace(before)
    return count


def bytecodes(call: Callable[[], object]) -> int:
    """How many bytecodes a call takes."""
    return interrupted(call, sys.maxsize)


def places(total: int, most: int) -> range:
    """At most so many places, spread evenly, none of them twice; the first is 0."""
    return range(0, total, max(1, -(-total // most)))
