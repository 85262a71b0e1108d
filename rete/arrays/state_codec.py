"""The codec of saved state: what the parts of a running engine are written as and read from.

A state is named arrays and plain values, nested. Each part of an engine gives its own (``saved``),
and restores it in a part that was built alike (``restore``). How a state gets into a file is not
known here. What is read back may be anything, so `StateReader` checks name, type and size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NoReturn, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from rete.arrays.delta import NEG_INF, POS_INF, Rows

SavedValue: TypeAlias = (
    "bool | int | str | npt.NDArray[np.generic] | Sequence[SavedValue] | Mapping[str, SavedValue]"
    " | None"
)
"""A state, or a part of one."""
State: TypeAlias = dict[str, SavedValue]
Mask: TypeAlias = npt.NDArray[np.bool_]

_Item = TypeVar("_Item", bound=np.generic)
_LEAST, _MOST = -(2**63), 2**63 - 1


class InvalidState(ValueError):
    """A saved state that no engine can have."""


class StateReader:
    """A saved state as it is read back: each value is checked before it is used.

    ``place`` is where it stands in the state of the engine, for messages.
    """

    __slots__ = ("_state", "place")

    def __init__(self, state: Mapping[str, SavedValue], place: str = "") -> None:
        self._state = state
        self.place = place

    def refuse(self, name: str, reason: str) -> NoReturn:
        """Say what is wrong with ``name``."""
        message = f"{self._path(name)} {reason}"
        raise InvalidState(message)

    def __contains__(self, name: str) -> bool:
        """Whether there is anything of this name."""
        return self._state.get(name) is not None

    def part(self, name: str) -> StateReader:
        """The state ``name``."""
        found = self._state.get(name)
        if not isinstance(found, Mapping):
            self.refuse(name, "is no state")
        return StateReader(found, self._path(name))

    def maybe(self, name: str) -> StateReader | None:
        """The state ``name``; None where there is none."""
        return None if self._state.get(name) is None else self.part(name)

    def parts(self, name: str, count: int | None = None) -> list[StateReader]:
        """The states in the list ``name``, ``count`` of them if that is known."""
        found = self._list(name)
        if count is not None and len(found) != count:
            self.refuse(name, f"has {len(found)} parts, not {count}")
        parts = []
        for number, each in enumerate(found):
            place = f"{name}[{number}]"
            if not isinstance(each, Mapping):
                self.refuse(place, "is no state")
            parts.append(StateReader(each, self._path(place)))
        return parts

    def integer(self, name: str, low: int = _LEAST, high: int = _MOST) -> int:
        """The integer ``name``, from ``low`` to ``high``."""
        found = self._state.get(name)
        if isinstance(found, bool) or not isinstance(found, int) or not low <= found <= high:
            self.refuse(name, f"is no integer from {low} to {high}")
        return found

    def integers(self, name: str, count: int) -> list[int]:
        """The ``count`` integers in the list ``name``."""
        found = self._list(name)
        numbers = [each for each in found if isinstance(each, int) and not isinstance(each, bool)]
        if len(numbers) != count or len(found) != count:
            self.refuse(name, f"is no list of {count} integers")
        return numbers

    def flag(self, name: str) -> bool:
        """The truth value ``name``."""
        found = self._state.get(name)
        if not isinstance(found, bool):
            self.refuse(name, "is neither true nor false")
        return found

    def text(self, name: str) -> str:
        """The text ``name``."""
        found = self._state.get(name)
        if not isinstance(found, str):
            self.refuse(name, "is no text")
        return found

    def maybe_text(self, name: str) -> str | None:
        """The text ``name``; None where there is none."""
        return None if self._state.get(name) is None else self.text(name)

    def texts(self, name: str) -> tuple[str, ...]:
        """The texts in the list ``name``."""
        found = self._list(name)
        texts = tuple(each for each in found if isinstance(each, str))
        if len(texts) != len(found):
            self.refuse(name, "has something that is no text")
        return texts

    def array(self, name: str, kind: type[_Item], *shape: int | None) -> npt.NDArray[_Item]:
        """The array ``name``, C-contiguous and of this ``shape``; None: any length."""
        found = self._state.get(name)
        if not isinstance(found, np.ndarray) or found.dtype != kind:
            self.refuse(name, f"is no array of {kind.__name__}")
        if len(found.shape) != len(shape) or any(
            due is not None and due != size for due, size in zip(shape, found.shape, strict=True)
        ):
            self.refuse(name, f"has the shape {found.shape}")
        return np.ascontiguousarray(found)

    def rows(self, name: str, width: int, alive: Mask, *, named: bool = False) -> Rows:
        """The row matrix ``name`` of ``width`` terms, which are ``alive``.

        With ``named`` the last term is the name of an element, which may be none: 0 or less.
        """
        rows = self.array(name, np.int64, None, width + 2)
        self.living(name, rows[:, : width - named], alive)
        if named:
            names = rows[:, width - 1]
            self.living(name, names[names > 0], alive)
        if (rows[:, -2] >= rows[:, -1]).any():
            self.refuse(name, "has a row that ends before it begins")
        if len(rows) and (rows[:, -2].min() < NEG_INF or rows[:, -1].max() > POS_INF):
            self.refuse(name, "has a row beyond all time")
        return rows

    def living(self, name: str, ids: Rows, alive: Mask) -> None:
        """Refuse ids that are not ``alive``: kernels use them as positions in memory."""
        if ids.size and (ids.min() < 1 or ids.max() >= len(alive) or not alive[ids].all()):
            self.refuse(name, "has an id that no term has")

    def _list(self, name: str) -> Sequence[SavedValue]:
        found = self._state.get(name)
        if isinstance(found, str | np.ndarray) or not isinstance(found, Sequence):
            self.refuse(name, "is no list")
        return found

    def _path(self, name: str) -> str:
        return f"{self.place}.{name}" if self.place else name
