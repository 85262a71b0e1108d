"""What a command loads: no more than it needs."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

NOT_FOR_MTL = {"rdflib", "rich", "rif.text.parser", "rif.text.writer", "rif.xml.parser"}


def test_mtl_loads_no_parser_of_rules_over_streams() -> None:
    code = "import sys, r4.cli.mtl.materialise as command; print(*sys.modules, sep='\\n')"
    done = subprocess.run(
        (sys.executable, "-c", code), stdout=subprocess.PIPE, text=True, check=True
    )
    loaded = {*done.stdout.splitlines()}
    assert "temporal.model.materialisation" in loaded
    assert not loaded & NOT_FOR_MTL
    assert all(find_spec(name) for name in NOT_FOR_MTL), "there is no such module"


def test_help_needs_no_extra() -> None:
    """The core is installed without them."""
    code = (
        "import sys; sys.modules |= dict.fromkeys(('pyarrow', 'pyspark', 'pandas', 'py4j'))\n"
        "from r4.cli import main\n"
        "sys.argv = ['r4', '--help']; main()"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "load  " in ran.stdout
