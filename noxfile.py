"""The matrix: every Python version, with and without the extras (``pip install nox; nox``)."""

import nox

nox.options.sessions = ["core", "tests"]
PYTHONS = ["3.11", "3.12", "3.13"]


@nox.session(python=PYTHONS)
def core(session: nox.Session) -> None:
    """The core alone: it must import and say what it is, without any extra."""
    session.install(".")
    session.run("r4", "--version")
    session.run("r4", "doctor")


@nox.session(python=PYTHONS)
@nox.parametrize("kernels", ["compiled", "pure"])
def tests(session: nox.Session, kernels: str) -> None:
    """The test suite on one kernel back end."""
    session.install("-e", ".[all]")
    session.run("pytest", "-q", *session.posargs, env={"R4_KERNELS": kernels})
