"""The engine as a library: graphs in, changes out.

>>> from rdflib import Namespace
>>> ex = Namespace("http://example.org/")
>>> engine = Engine.from_text('''
... Document( Prefix(ex <http://example.org/>) Window(3)
...   Group( Forall ?x ( ?x[ex:p -> ex:c] :- And(?x[ex:p -> ex:a] ?x[ex:p -> ex:b]) ) ) )
... ''')
>>> engine.add([(ex.x, ex.p, ex.a)], at=1)
True
>>> engine.add([(ex.x, ex.p, ex.b)], at=2)
True
>>> engine.advance(4)
>>> [(change.op, change.at, str(change.triple[2])) for change in engine.changes()]
[('+', 2, 'http://example.org/c'), ('-', 4, 'http://example.org/c')]

| file | what it is |
|---|---|
| `engine` | what the user holds; it has no state but the parts below |
| `options` | what is chosen once, when an engine begins |
| `rulebook` | the documents that are read, and those that join: what is compiled |
| `course` | how far time has come: datetimes and integers as ticks, and back |
| `begun` | the parts are made from those, and joined |
| `run` | data in: elements that are added and taken back move time and the core |
| `foretelling` | what is possible, as the run goes on |
| `possible` | that, as the user gets it |
| `change` | answers as the user gets them, and the queue of those |
| `attached` | a graph that is followed |
| `asked` | what holds, and why |
| `resumed` | a run as a file, and back |
"""

from r4.api.change import Change as Change
from r4.api.engine import Engine as Engine
from r4.api.event_clock import Instant as Instant
from r4.api.possible_answers import Possible as Possible
from r4.api.possible_answers import Prospect as Prospect
