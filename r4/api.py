"""The engine as a library: rdflib graphs or terms in, changes out.

>>> engine = Engine.from_text('''
... Document( Prefix(ex <http://example.org/>) Window(3)
...   Group( Forall ?x ( ?x[ex:is -> ex:c] :- And(?x[ex:is -> ex:a] ?x[ex:is -> ex:b]) ) ) )
... ''')
>>> ex = Namespace("http://example.org/")
>>> engine.add([(ex.x, ex["is"], ex.a)], at=1)
True
>>> engine.add([(ex.x, ex["is"], ex.b)], at=2)
True
>>> engine.advance(4)
>>> [(change.op, change.at, str(change.triple[2])) for change in engine.changes()]
[('+', 2, 'http://example.org/c'), ('-', 4, 'http://example.org/c')]
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, Literal, TypeAlias

import numpy as np
from rdflib import Graph, Namespace

__all__ = ["Change", "Engine", "Namespace"]
