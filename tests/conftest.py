"""What all tests share: Hypothesis profiles, the kernel back end, third-party data, Spark."""

from __future__ import annotations

import gc
import os
import signal
import tempfile
from collections.abc import Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from _typeshed import FileDescriptorLike

ROOT = Path(__file__).parents[1]
DATA = "R4_TEST_DATA"
"""The variable that names the folder of third-party test data, which is not shipped."""
NO_SPARK = "no Spark"
SPARK = "tests/r4/spark/"
"""Where the tests stand that share a Spark session."""
NEEDED = (DATA, NO_SPARK)
"""What the reason to skip a test says if it skips for want of something that is there in CI."""

MEMORY = Path("/dev/shm")  # noqa: S108 - folders are made in it with names of their own
"""Where Linux has files in memory."""
ROOM = 4 << 30
"""So many bytes have to be free there: ten times what all tests write."""

Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)

IN_CI = os.environ.get("CI", "").lower() in {"1", "true"}

# Under nohup, or behind an ampersand, these are ignored, and the processes of tests inherit that.
for _number, _handler in (
    (signal.SIGHUP, signal.SIG_DFL),
    (signal.SIGINT, signal.default_int_handler),
):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _handler)


def _write_to_memory() -> None:
    """Let the files of tests stand in memory, where the system has room and lets them be run.

    They are many and small; a disk is waited for each time that one comes in the place of another.
    With ``TMPDIR`` they stand where that says.
    """
    if "TMPDIR" not in os.environ and MEMORY.is_dir() and os.access(MEMORY, os.W_OK):
        found = os.statvfs(MEMORY)
        if found.f_bavail * found.f_frsize >= ROOM and not found.f_flag & os.ST_NOEXEC:
            os.environ["TMPDIR"], tempfile.tempdir = str(MEMORY), None


_write_to_memory()


def _is_open(fd: FileDescriptorLike) -> None:
    """What stands in place of ``os.fsync`` in processes of tests; what they start has the real one.

    That is against a loss of power, which no test has, and it waits for all that others write.
    """
    os.fstat(fd if isinstance(fd, int) else fd.fileno())


os.fsync = _is_open

# Machines are shared: no deadline, and slow generation is no fault. In CI the examples are the
# same in every run, so that a red run is the fault of the change.
_QUIET = [HealthCheck.too_slow]
settings.register_profile(
    "dev", max_examples=30, deadline=None, derandomize=IN_CI, suppress_health_check=_QUIET
)
settings.register_profile(
    "ci",
    max_examples=30,
    deadline=None,
    derandomize=True,
    database=None,
    print_blob=True,
    suppress_health_check=_QUIET,
)
settings.register_profile(
    "thorough", max_examples=3000, deadline=None, suppress_health_check=_QUIET
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if IN_CI else "dev"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--kernels",
        choices=["compiled", "pure"],
        help="run the tests on this kernel back end (the same as R4_KERNELS)",
    )
    parser.addoption(
        "--rewrite-cases",
        action="store_true",
        help="write what R4 prints now into tests/cases, and into the documents that are run",
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--rewrite-cases") and config.getoption("numprocesses", 0):
        msg = "--rewrite-cases writes files that several tests share: give -n 0"
        raise pytest.UsageError(msg)
    config.pluginmanager.register(WithoutDoctests())
    # The back end is chosen when rete.kernels is imported: before any test is collected.
    if kernels := config.getoption("--kernels"):
        os.environ["R4_KERNELS"] = kernels
    # A shell without job control has SIGINT ignored in what it starts in the background.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


class WithoutDoctests:
    """Leaves out modules that have no tests and no doctests: each would be imported."""

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Whether a file is such a module; None: others decide."""
        is_module = collection_path.suffix == ".py" and ROOT in collection_path.parents
        if is_module and not collection_path.name.startswith("test_"):
            return b">>> " not in collection_path.read_bytes() or None
        return None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A test that is marked soak runs only where ``-m`` names the mark; files of Spark come first.

    They are the longest: at the end, one worker would wait for another.
    """
    items.sort(key=lambda item: "spark" not in item.path.parts)
    if "soak" in config.option.markexpr:
        return
    soak = [item for item in items if item.get_closest_marker("soak")]
    if soak:
        config.hook.pytest_deselected(items=soak)
        items[:] = [item for item in items if not item.get_closest_marker("soak")]


class SparkOnOneWorker(LoadFileScheduling):  # type: ignore[misc] # it has no types
    """Gives each file to one worker, those of Spark all to the same: it starts one Java."""

    def _split_scope(self, nodeid: str) -> str:
        return SPARK if nodeid.startswith(SPARK) else super()._split_scope(nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> SparkOnOneWorker | None:
    """What hands out tests where it is asked to keep files together; None: others decide."""
    return SparkOnOneWorker(config, log) if config.getoption("dist") == "loadfile" else None


def pytest_collection_finish() -> None:
    """The collector leaves alone what was collected: it would walk thousands of tests each time."""
    gc.collect()
    gc.freeze()


def pytest_report_header() -> str:
    from r4.cli import version  # noqa: PLC0415 - not before the back end is chosen

    return version()


@pytest.fixture(scope="session")
def test_data() -> Callable[[str], Path]:
    """A path in the third-party data, by its place there; the test is skipped without them."""
    folder = os.environ.get(DATA)

    def find(place: str) -> Path:
        if folder is None:
            pytest.skip(f"{DATA} is not set: third-party data are not shipped")
        path = Path(folder, place)
        if not path.exists():
            pytest.skip(f"{DATA} has no {place}")
        return path

    return find


@pytest.fixture(scope="session")
def rewrites_cases(request: pytest.FixtureRequest) -> bool:
    """Whether expected output is to be replaced by what R4 prints now."""
    return bool(request.config.getoption("--rewrite-cases"))


@pytest.fixture(scope="session")
def needs_spark() -> None:
    """Spark can start: the test is skipped where pyspark or Java is missing."""
    # Imported here, not before the back end is chosen.
    from r4.extras import MissingExtra  # noqa: PLC0415
    from r4.spark.jobs.session import NoJava, require  # noqa: PLC0415

    try:
        require()
    except (MissingExtra, NoJava) as error:
        pytest.skip(f"{NO_SPARK}: {error}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    return _no_data_is_a_failure(report)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    return _no_data_is_a_failure(report)


def _no_data_is_a_failure(report: Report) -> Report:
    """In CI data and Java are there; a test that skips for want of them tests nothing."""
    if IN_CI and report.skipped and isinstance(report.longrepr, tuple):
        reason = report.longrepr[2]
        if any(need in reason for need in NEEDED):
            report.outcome = "failed"
            report.longrepr = f"in CI this is a failure: {reason}"
    return report
