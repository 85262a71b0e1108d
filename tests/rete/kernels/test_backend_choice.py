"""The back end under test is the one that this machine can have."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from r4.cli.commands.doctor import c_compiler
from rete import kernels


def test_where_a_c_compiler_is_found_the_compiled_kernels_load() -> None:
    compiler = c_compiler()
    if compiler is None:
        pytest.skip("no C compiler here: the pure kernels do all the work")
    try:
        kernels.load("compiled")
    except ImportError as error:
        pytest.fail(
            f"{compiler} is here, the compiled kernels are not ({error}): "
            "install the Python headers (python3-dev), then `make clean test`"
        )


@pytest.mark.skipif(c_compiler() is None, reason="no C compiler here")
def test_the_compiled_kernels_are_the_default() -> None:
    assert backend_of_a_new_process({}) == "compiled"


def test_the_pure_kernels_can_be_asked_for() -> None:
    assert backend_of_a_new_process({"R4_KERNELS": "pure"}) == "pure"


def test_the_tests_run_on_the_kernels_that_were_asked_for() -> None:
    assert os.environ.get("R4_KERNELS", kernels.BACKEND) == kernels.BACKEND


def backend_of_a_new_process(settings: dict[str, str]) -> str:
    inherited = {name: value for name, value in os.environ.items() if name != "R4_KERNELS"}
    script = "from rete.kernels import BACKEND; print(BACKEND)"
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script],
        env=inherited | settings,
        capture_output=True,
        check=True,
        text=True,
    ).stdout.strip()
