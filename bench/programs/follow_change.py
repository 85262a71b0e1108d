"""A live model follows the deletion of some facts, and their insertion, right after it is derived.

It prints in JSON, in seconds of processor time, how long it took to read rules and facts, to derive
the model, and to follow each change, and whether a model then was another than one derived anew.
To REST it writes the data after the deletion. Nothing is deleted or inserted before, so indexes are
made within the first change. usage: follow_change.py PROGRAM FACTS CHANGED REST
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import process_time

from bench.programs.update_model import differ, load_lines
from rete.terms.dictionary import Dictionary
from temporal.facts.bulk_loader import Dataset
from temporal.facts.bulk_writer import write_rows
from temporal.maintenance.live_model import LiveModel
from temporal.maintenance.update_method import Method
from temporal.model.materialisation import materialise
from temporal.text.program_parser import parse_program


def main(program: str, facts: str, changed: str, rest: str) -> None:
    """Measure; print."""
    begun = process_time()
    rules, terms = parse_program(Path(program).read_text(encoding="utf-8")), Dictionary()
    data, change = (
        load_lines(rules, terms, Path(path).read_text(encoding="utf-8").splitlines())
        for path in (facts, changed)
    )
    read = process_time()
    live = LiveModel(rules, data, terms)
    told: dict[str, object] = {"load": read - begun, "derive": process_time() - read}
    wrong = False
    for name in ("delete", "insert"):
        begun = process_time()
        live.update(**{name: change}, method=Method.DRED)
        told[name] = process_time() - begun
        explicit = live.explicit
        wrong |= differ(live, materialise(rules, Dataset(data.scale, explicit), terms).periodic)
        if name == "delete":
            rows = ((key[0], of) for key, of in explicit.items())
            with Path(rest).open("wb") as file:
                file.writelines(write_rows(rows, terms, data.scale))
    print(json.dumps({**told, "wrong": wrong}))


if __name__ == "__main__":
    main(*sys.argv[1:])
