"""Packages that may be installed beside: extras, and those that extend R4 by entry points.

Of each extra it is known what it is for, and the line that is said where it is missing. What it
consists of stands in ``pyproject.toml`` alone and is read back from the metadata of the
installation, so that nothing here can fall behind it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

DISTRIBUTION: Final = "r4-reasoner"
"""The name under which R4 is installed; it is imported as ``r4``."""

PURPOSES: Final[Mapping[str, str]] = {
    "demo": "the weather observations of `r4 demo`",
    "examples": "the sensor readings of examples/",
    "parquet": "Parquet as answers and as stream of `r4 run`, and --static of a loaded folder",
    "frames": "changes as tables of Arrow and frames of pandas",
    "spark": "`r4 load`, which needs Java 17 as well",
    "metrics": "`r4 run --metrics`",
    "lsp": "`r4 lsp`, for editors",
    "bench": "what `r4 bench` compares with",
    "dev": "the tests and the linters",
    "docs": "the documentation site of `make docs`",
    "fuzz": "the search of `make fuzz` for inputs that reach new code",
}
"""Extra → what it is for."""

_INSTALLED_IN = Path(__file__).parents[1]
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)(?:.*\bextra\s*==\s*[\"']([^\"']+)[\"'])?")


class MissingExtra(Exception):
    """Something was asked for that needs an extra which is not installed."""

    def __init__(self, extra: str, package: str) -> None:
        super().__init__(f"{package} is not installed: {advice(extra)}")


def advice(extra: str = "") -> str:
    """The command to type for ``extra``, or for the core: in a checkout, or where R4 is installed.

    There the packages are named, as a wheel of R4 may be on no index.
    """
    if checkout() is not None:
        return f"pip install -e '.[{extra}]'" if extra else "pip install -e ."
    packages = requirements().get(extra, ())
    return f"pip install {' '.join(packages)}" if packages else "install a wheel of R4"


def checkout() -> Path | None:
    """The folder of the checkout that R4 is imported from; None: it is installed elsewhere."""
    import tomllib

    try:
        described = tomllib.loads((_INSTALLED_IN / "pyproject.toml").read_text("utf-8"))
    except (OSError, ValueError):
        return None
    name = described.get("project", {}).get("name")
    return _INSTALLED_IN if name == DISTRIBUTION else None


def requirements() -> Mapping[str, tuple[str, ...]]:
    """Extra → the packages it names, ``""`` for the core; empty where R4 runs uninstalled.

    >>> "numpy" in requirements().get("", ["numpy"])
    True
    """
    from importlib import metadata

    try:
        lines = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        return {}
    found: dict[str, tuple[str, ...]] = {}
    for line in lines:
        if (parts := _REQUIREMENT.match(line)) and parts[1] != DISTRIBUTION:
            extra = parts[2] or ""
            found[extra] = (*found.get(extra, ()), parts[1])
    return found


def version_of(package: str) -> str | None:
    """The installed version of a package, ``None`` if there is none. Does not import it."""
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")


def scheme_of(place: str) -> str | None:
    """The scheme of a URL, in lower case; None: it is no URL, but the name of a file.

    >>> scheme_of("mqtt://broker/topic"), scheme_of("day.nq")
    ('mqtt', None)
    """
    found = _URL.match(place)
    return None if found is None else found[1].lower()


def may_be_extended(group: str) -> bool:
    """Whether a package on the path may give something in a group.

    Most give nothing, and to import `importlib.metadata` takes longer than to read most rules.
    """
    heading = f"[{group}]"
    for place in map(Path, sys.path):
        if place.is_file():  # an archive
            return True
        for kind in ("dist-info", "egg-info"):
            tables = place.glob(f"*.{kind}/entry_points.txt")
            if any(heading in table.read_text("utf-8", "replace") for table in tables):
                return True
    return False


class BrokenExtension(Exception):
    """A package that extends R4 cannot be imported."""


def extension(group: str, name: str) -> object:
    """The object that another package gives under ``name``, imported now; None: it gives none.

    Raises:
        BrokenExtension: it cannot be imported.
    """
    from importlib import metadata

    for entry in metadata.entry_points(group=group, name=name):
        try:
            loaded: object = entry.load()
        except Exception as error:
            message = f"{name}: the package that gives it fails: {type(error).__name__}: {error}"
            raise BrokenExtension(message) from error
        return loaded
    return None


def extension_names(group: str) -> tuple[str, ...]:
    """The names under which other packages give something, sorted; nothing is imported.

    The packages on the path are looked through once, which takes some milliseconds.
    """
    return _names_on(group, tuple(sys.path))


@cache
def _names_on(group: str, _path: tuple[str, ...]) -> tuple[str, ...]:
    from importlib import metadata

    return tuple(sorted({entry.name for entry in metadata.entry_points(group=group)}))
