"""Colours and type of the picture."""

from __future__ import annotations

from typing import Final

_COLOURS: Final = (
    "#2c6fbb",
    "#c4512a",
    "#2a8a57",
    "#8748bd",
    "#b07d06",
    "#c0356f",
    "#0c8593",
    "#6d7b1c",
    "#8a5a3c",
    "#4a55d0",
)
SHARED: Final = "#2b3442"
"""What belongs to several rules."""
INPUT: Final = "#8c97a6"

STYLE: Final = """
text{font-family:"DejaVu Sans",Verdana,"Segoe UI",Arial,sans-serif}
text{fill:#1d2530;white-space:pre}
.m{font-family:"DejaVu Sans Mono",Menlo,Consolas,"Liberation Mono",monospace;font-size:12px}
.n,.k{font-family:"DejaVu Sans Mono",Menlo,Consolas,"Liberation Mono",monospace;font-size:9.5px}
.n{fill:#5d6877}
.k{fill:#fff;font-weight:bold}
.free{fill:#98a2b0}
.bound{font-weight:bold}
.title{font-size:19px;font-weight:bold}
.sub{font-size:12px;fill:#5d6877}
.zone{font-size:13px;font-weight:bold;fill:#48536a}
.legend{font-size:11px;fill:#3d4757}
.id{font-size:9px;fill:#98a2b0}
.head{font-size:12px;font-weight:bold;fill:#fff}
.bar{font-size:12px;fill:#fff;font-weight:bold}
.page{fill:#fff;stroke:#d5dbe3}
.field{fill:#f5f7fa}
.pattern,.true{fill:#eaf2fb}
.join{fill:#fff}
.filter{fill:#fff4d9}
.function,.solve{fill:#f4ecfb}
.metric{fill:#e6f5ee}
.rule{fill:#fff}
.line{fill:none}
.halo{fill:none;stroke:#fff}
""".strip()


def colour(rule: int) -> str:
    """The colour of a rule; the eleventh has that of the first, and its number."""
    return _COLOURS[(rule - 1) % len(_COLOURS)]


def colour_of(rules: tuple[int, ...]) -> str:
    """The colour of what belongs to ``rules``."""
    return colour(rules[0]) if len(rules) == 1 else SHARED
