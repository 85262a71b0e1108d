"""How much memory a command uses that ends by itself."""

from __future__ import annotations

from dataclasses import dataclass

from r4.options.option import Kind, Topic, option
from r4.options.values import Size


@dataclass(frozen=True, kw_only=True)
class MemoryOptions:
    """The most memory that is used."""

    memory: Size | None = option(
        "The most memory to use, as 2GB; on Linux.", Topic.BOUNDS, kind=Kind.MEMORY, decides=False
    )
