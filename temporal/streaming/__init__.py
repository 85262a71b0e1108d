"""Streams: a query of DatalogMTL followed along a stream of facts [Walega19].

| file | what is in it |
|---|---|
| `stream_query` | the rules that a query depends on; memory; whether answers are certain |
| `stream_evaluation` | the network of a query, fed and emptied as the frontier moves |
| `output_points` | at which times answers are wanted |
| `point_answers` | from rows with intervals to answers at points, and to lines |
| `stream_profile` | how a program follows streams, for `r4 mtl check` |
| `stream_run` | lines of a stream in, answers out: frontier, late facts, retractions |
| `stream_reasoner` | the same from Python |
"""

from temporal.streaming.stream_reasoner import StreamAnswer, StreamReasoner

__all__ = ["StreamAnswer", "StreamReasoner"]
