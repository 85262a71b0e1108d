"""Checkpoints: a running engine as a file, from which another process goes on.

| file | what it is |
|---|---|
| `archive` | the file: a zip of arrays (``.npy``) and one JSON text, checked on reading |
| `fingerprint` | which program a state belongs to: rules are not saved, but compiled again |
| `resumption` | a state that was read, on its way to being an engine again |
| `live_models` | the same for live models of DatalogMTL |
| `errors` | why a file is no snapshot, or not one of these rules |

The file is called a snapshot in messages. Each part of an engine decides what it is saved as, see
`rete.arrays.state_codec`.
"""

from r4.checkpoint.archive import read as read
from r4.checkpoint.archive import write as write
from r4.checkpoint.errors import SnapshotError as SnapshotError
from r4.checkpoint.fingerprint import fingerprint as fingerprint
from r4.checkpoint.fingerprint import function_versions as function_versions
from r4.checkpoint.fingerprint import other_version as other_version
from r4.checkpoint.fingerprint import read_version_lines as read_version_lines
from r4.checkpoint.fingerprint import version_lines as version_lines
from r4.checkpoint.resumption import Resumption as Resumption
