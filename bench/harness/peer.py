"""A system that R4 is compared with: what it needs, and what is installed of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple


class NotInstalled(Exception):
    """Something is missing where a peer was said to be."""


class Installation(NamedTuple):
    """Where the user installed a peer, and which version of it."""

    path: Path
    version: str


@dataclass(frozen=True, slots=True)
class Peer:
    """A program that R4 is compared with."""

    module: str  # the program, in `bench.peers`
    description: str  # one line on what it does
    needs: str = ""  # the package of the extra ``bench`` that it needs; empty: none
    # what the user names to have it, such as a folder; empty: it needs no installation
    path: str = ""

    @property
    def program(self) -> str:
        """The module with the name of its package, as ``python -m`` takes it."""
        return f"bench.peers.{self.module}"

    def version(self, path: Path) -> str:
        """The version that is installed at a path.

        Raises:
            NotInstalled: it is not there.
        """
        raise NotImplementedError
