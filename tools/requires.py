"""Print the requirements of pyproject.toml, one a line: ``requires.py build``, or of an extra."""

import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"


def requires(what: str) -> list[str]:
    """What the build needs, or what the extra ``what`` names; extras within extras resolved."""
    table = tomllib.loads(PROJECT.read_text("utf-8"))
    if what == "build":
        return list(table["build-system"]["requires"])
    found: list[str] = []
    for line in table["project"]["optional-dependencies"][what]:
        name, _, extras = line.removesuffix("]").partition("[")
        if name == table["project"]["name"]:
            found += (need for extra in extras.split(",") for need in requires(extra))
        else:
            found.append(line)
    return found


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in requires(sys.argv[1]))
