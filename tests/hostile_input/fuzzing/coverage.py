"""A reader under atheris: ``READER SECONDS [FOLDER]``, which keeps inputs that reached new code.

It starts from the samples and the corpus, and ends with an error where an input broke the reader.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

PARSERS = [
    *("rif", "temporal.text", "temporal.facts", "temporal.intervals", "temporal.mtl"),
    *("temporal.hypothetical.syntax", "temporal.hypothetical.arrival"),
    *("r4.rdf", "r4.sources", "r4.time", "r4.checkpoint", "r4.store", "rete.terms"),
]
"""What is watched for new code: watching all takes a minute."""

LONGEST = 4096


def main(reader: str, seconds: str, kept: str | None = None) -> None:
    """Try inputs for so long; the process ends then."""
    import atheris  # noqa: PLC0415 - an extra; and the parsers are imported under its watch

    with atheris.instrument_imports(include=PARSERS):
        from tests.hostile_input.fuzzing.campaign import CORPUS, fault_of  # noqa: PLC0415
        from tests.hostile_input.fuzzing.readers import READERS  # noqa: PLC0415

    with TemporaryDirectory() as name:
        folder = Path(name)
        begin = Path(kept or folder / "kept")
        begin.mkdir(exist_ok=True)
        for number, sample in enumerate(READERS[reader].samples):
            (begin / f"sample{number}").write_bytes(sample)

        def try_input(data: bytes) -> None:
            what, _, _ = fault_of(reader, data, folder)
            if what:
                raise AssertionError(what)

        options = [f"-max_total_time={seconds}", f"-max_len={LONGEST}", "-rss_limit_mb=2000"]
        found = [str(path) for path in (begin, CORPUS / reader) if path.is_dir()]
        atheris.Setup([sys.argv[0], *options, *found], try_input)
        atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
