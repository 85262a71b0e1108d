"""``r4 bench``: the benchmarks of the checkout that R4 runs from; an installation has none."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Final

import click

from r4.cli.terminal.console import USAGE, say
from r4.extras import checkout

PACKAGE: Final = "bench"
ELSEWHERE: Final = (
    "the benchmarks are in the sources of R4, not in an installation: git clone the project, run"
    " `make bench` in it, and then .venv/bin/r4 bench for any of them"
)


def load(folder: Path | None) -> click.Command | None:
    """The command of the benchmarks in a checkout; None: there are none.

    The package is read from that folder, whatever else of its name could be imported.
    """
    init = None if folder is None else folder / PACKAGE / "__init__.py"
    if init is None or not init.is_file():
        return None
    if getattr(sys.modules.get(PACKAGE), "__file__", None) != str(init):
        spec = spec_from_file_location(PACKAGE, init, submodule_search_locations=[str(init.parent)])
        assert spec is not None
        assert spec.loader is not None
        sys.modules[PACKAGE] = module_from_spec(spec)
        spec.loader.exec_module(sys.modules[PACKAGE])
    found = import_module(f"{PACKAGE}.command").command
    assert isinstance(found, click.Command)
    return found


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[NAME]...")
def missing(arguments: tuple[str, ...]) -> int:  # noqa: ARG001 - nothing can be measured
    """Measure workloads, and compare with other systems: in a checkout of R4 alone."""
    say(ELSEWHERE)
    return USAGE


command: Final = load(checkout()) or missing
