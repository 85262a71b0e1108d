"""Checkpoints: a running engine as a file, from which another process goes on.

| file | what it is |
|---|---|
| `archive` | the file: a zip of arrays (``.npy``) and one JSON text, checked on reading |
| `resumption` | which program a state belongs to, as rules are compiled again; its way back |
| `live_models` | the same for live models of DatalogMTL |
| `errors` | why a file is no snapshot, or not one of these rules |

The file is called a snapshot in messages. Each part of an engine decides what it is saved as, see
`rete.arrays.state_codec`.
"""

from r4.checkpoint.archive import read as read
from r4.checkpoint.archive import write as write
from r4.checkpoint.errors import SnapshotError as SnapshotError
from r4.checkpoint.resumption import Resumption as Resumption
from r4.checkpoint.resumption import fingerprint as fingerprint
from r4.checkpoint.resumption import function_versions as function_versions
from r4.checkpoint.resumption import other_version as other_version
from r4.checkpoint.resumption import read_version_lines as read_version_lines
from r4.checkpoint.resumption import version_lines as version_lines
