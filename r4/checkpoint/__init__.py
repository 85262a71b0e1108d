"""A running engine as a file, from which another process goes on as if it had never stopped.

archive.py      the file: a zip of arrays (``.npy``) and one JSON text, checked on reading
fingerprint.py  which program a state belongs to: the rules are not saved, but compiled again
resumption.py   a state on its way to being an engine again
pending.py      changes that were told and not taken out yet
faults.py       why a file is no snapshot, or not one of these rules

What an engine is made of says itself what it is saved as, see `rete.arrays.state_codec`.
"""

from r4.checkpoint.archive import read as read
from r4.checkpoint.archive import write as write
from r4.checkpoint.errors import SnapshotError as SnapshotError
from r4.checkpoint.fingerprint import fingerprint as fingerprint
from r4.checkpoint.resumption import Resumption as Resumption
