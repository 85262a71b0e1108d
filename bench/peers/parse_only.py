"""Peer: nothing but reading. pyoxigraph parses the stream into terms, and nobody looks at them.

usage: parse_only.py STREAM
"""

from __future__ import annotations

import sys
from collections import deque

from pyoxigraph import RdfFormat, parse


def main(stream: str) -> None:
    """Iterate over the quads of a file; `deque` of length 0 is the cheapest way to do so."""
    deque(parse(path=stream, format=RdfFormat.N_QUADS), maxlen=0)


if __name__ == "__main__":
    main(sys.argv[1])
