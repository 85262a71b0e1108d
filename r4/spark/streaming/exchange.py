"""The exchange between hosts: files in a folder, each written by one host for another.

All hosts write first, then read; so no host waits for one that waits for it. Inputs of steps and
messages are Arrow files: columns, and one JSON text.

| column | of asserted facts | of a message |
|---|---|---|
| ``texts`` | the arguments of a fact | the same |
| ``lo``, ``hi`` | its start and end, in ticks | its valid time, in cells |
| ``holds`` | true | whether it holds then, or no longer |
| ``name`` | that of its element, empty for none | empty |

The rows of one `AssertedFacts` or `FactMessage` stand together; the JSON text says which they are.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import sleep
from typing import Any, Final

import numpy as np
import pyarrow as pa

from r4.spark.jobs.atomic_files import save_arrow, save_json
from r4.spark.shards.messages import AssertedFacts, FactMessage
from r4.spark.shards.worker import StepInputs
from rete.inference.errors import LimitReached
from rete.terms.relations import Part, Relation

_SHORTEST: Final = 0.0005
_LONGEST: Final = 0.02
"""Seconds between two looks."""
_FAILED: Final = "failed.json"


class OtherHostFailed(Exception):
    """Another host failed, so this one cannot go on either."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """The folder where so many hosts, of which this is one, meet for an attempt at a batch."""

    folder: Path
    host: int
    hosts: int

    @property
    def others(self) -> Iterator[int]:
        """The other hosts."""
        return (host for host in range(self.hosts) if host != self.host)

    def share(self, name: str, numbers: Sequence[int]) -> list[list[int]]:
        """Send some numbers to all hosts, once under each name; the numbers of each host."""
        save_json(self.folder / f"{name}.{self.host}.json", list(numbers))
        found: list[list[int]] = [list(numbers)] * self.hosts
        for other in self.others:
            found[other] = read_json(self._wait(self.folder / f"{name}.{other}.json"))
        return found

    def swap(
        self, step: int, round_number: int, sent: dict[int, list[tuple[int, FactMessage]]]
    ) -> tuple[list[tuple[int, FactMessage]], bool]:
        """Send messages to other hosts; those that came here, and whether any were sent at all.

        ``sent`` has them by host, the result in the order of the shards that sent them.
        """
        count = sum(map(len, sent.values()))
        total = count
        for other in self.others:
            write_messages(
                self._name(step, round_number, self.host, other), sent.get(other, ()), count
            )
        come = list(sent.get(self.host, ()))
        for other in self.others:
            messages, theirs = read_messages(
                self._wait(self._name(step, round_number, other, self.host))
            )
            come += messages
            total += theirs
        return sorted(come, key=lambda each: each[1].sender), total > 0

    @contextmanager
    def reporting_failure(self) -> Iterator[None]:
        """If this host fails, leave a file by which the others know."""
        try:
            yield
        except OtherHostFailed:
            raise
        except BaseException as error:
            limit = error.args[0] if isinstance(error, LimitReached) else None
            save_json(self.folder / _FAILED, {"error": str(error), "limit": limit})
            raise

    def _name(self, step: int, round_number: int, sender: int, to: int) -> Path:
        return self.folder / f"{step}.{round_number}.{sender}.{to}.arrow"

    def _wait(self, path: Path) -> Path:
        failed, pause = self.folder / _FAILED, _SHORTEST
        while not path.exists():
            if failed.exists() or not self.folder.exists():
                message = f"another host failed, which {failed} is about"
                raise OtherHostFailed(message)
            sleep(pause)
            pause = min(2 * pause, _LONGEST)
        return path


def read_json(path: Path) -> Any:  # noqa: ANN401 - what this module has written
    """The value of a JSON file."""
    return json.loads(path.read_text("utf-8"))


_PLAIN_INPUTS: Final = (
    *("ends", "retracted_names", "retracted_rows", "begins", "first", "settles", "until", "closes"),
)
"""Fields of `StepInputs` that the JSON text has as they are."""
_ABOUT: Final = b"r4"
_SCHEMA: Final = pa.schema(
    [
        ("texts", pa.large_list(pa.large_string())),
        *(("lo", pa.int64()), ("hi", pa.int64()), ("holds", pa.bool_())),
        ("name", pa.large_string()),
    ]
)


def write_inputs(path: Path, inputs: Sequence[StepInputs]) -> None:
    """Write the inputs of a shard, step by step; without messages."""
    rows = _Rows()
    steps = [
        {
            **{name: getattr(each, name) for name in _PLAIN_INPUTS},
            "asserted": [
                rows.add(some.relation, some.texts, some.start, some.end, names=some.names)
                for some in each.asserted
            ],
        }
        for each in inputs
    ]
    rows.write(path, {"steps": steps})


def read_inputs(path: Path) -> list[StepInputs]:
    """The inputs of a shard, read back."""
    about, batch = _read(path)
    found = []
    for step in about["steps"]:
        asserted = []
        for some in step["asserted"]:
            relation, texts, part = _facts_of(some, batch)
            lo, hi = part["lo"].to_numpy(), part["hi"].to_numpy()
            names = part["name"].to_pylist() if some["named"] else ()
            asserted.append(AssertedFacts(relation, texts, lo, hi, names))
        retracted_rows = list(map(tuple, step["retracted_rows"]))
        found.append(StepInputs(**{**step, "retracted_rows": retracted_rows, "asserted": asserted}))
    return found


def write_messages(path: Path, messages: Sequence[tuple[int, FactMessage]], sent: int) -> None:
    """Write messages with their shards, and how many the host sent to all hosts."""
    rows = _Rows()
    entries = [
        {
            "to": to,
            "sender": each.sender,
            **rows.add(each.relation, each.texts, each.lo, each.hi, holds=each.holds),
        }
        for to, each in messages
    ]
    rows.write(path, {"parcels": entries, "sent": sent})


def read_messages(path: Path) -> tuple[list[tuple[int, FactMessage]], int]:
    """Messages with their shards, and that number, read back."""
    about, batch = _read(path)
    found = []
    for each in about["parcels"]:
        relation, texts, part = _facts_of(each, batch)
        lo, hi = part["lo"].to_numpy(), part["hi"].to_numpy()
        holds = part["holds"].to_numpy(zero_copy_only=False)
        found.append((each["to"], FactMessage(each["sender"], relation, texts, lo, hi, holds)))
    return found, about["sent"]


class _Rows:
    """Collects the rows of a file, and writes it."""

    def __init__(self) -> None:
        self._count = 0
        self._batches: list[pa.RecordBatch] = []

    def add(  # noqa: PLR0913 - its columns
        self,
        relation: Relation,
        texts: Sequence[str],
        lo: np.ndarray,
        hi: np.ndarray,
        *,
        holds: np.ndarray | None = None,
        names: Sequence[str] = (),
    ) -> dict[str, object]:
        """Add the rows of some facts; their entry in the JSON text."""
        count, first = len(lo), self._count
        self._count += count
        offsets = pa.array(np.arange(count + 1, dtype=np.int64) * relation.arity)
        listed = pa.LargeListArray.from_arrays(offsets, pa.array(texts, pa.large_string()))
        held = np.ones(count, np.bool_) if holds is None else holds
        named = pa.array(names, pa.large_string()) if names else pa.nulls(count, pa.large_string())
        columns = [listed, *map(pa.array, (lo, hi, held)), named]
        self._batches.append(pa.record_batch(columns, schema=_SCHEMA))
        by = relation.by if isinstance(relation, Part) else None
        return {
            "relation": [relation.op, relation.arity, by],
            "first": first,
            "count": count,
            "named": len(names) > 0,
        }

    def write(self, path: Path, about: Mapping[str, object]) -> None:
        table = pa.Table.from_batches(self._batches, _SCHEMA).combine_chunks()
        save_arrow(path, table.replace_schema_metadata({_ABOUT: json.dumps(about)}))


def _facts_of(
    entry: Mapping[str, Any], batch: pa.RecordBatch
) -> tuple[Relation, list[str], pa.RecordBatch]:
    """The relation, the texts and the columns of the facts of an entry."""
    op, arity, by = entry["relation"]
    relation = Relation(op, arity) if by is None else Part(op, arity, by)
    part = batch.slice(entry["first"], entry["count"])
    return relation, part["texts"].flatten().to_pylist(), part


def _read(path: Path) -> tuple[Any, pa.RecordBatch]:
    with pa.memory_map(str(path)) as source:
        table = pa.ipc.open_file(source).read_all()
    batches = table.combine_chunks().to_batches() or [pa.RecordBatch.from_pylist([], _SCHEMA)]
    return json.loads(table.schema.metadata[_ABOUT]), batches[0]
