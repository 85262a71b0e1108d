"""A Spark session that is quiet, and runs the interpreter that started it; what it needs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from logging import NullHandler, getLogger
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import r4
from r4.extras import MissingExtra, version_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


LOCAL: Final = "local[*]"
MEMORY: Final = "1g"
"""Heap of the driver: no triple ever passes through it."""
_SHORT_RUN: Final = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""To Java, through which no data go: do not spend 6 s of processor time on becoming faster."""
_HOME: Final = str(Path(r4.__file__).resolve().parents[1])
"""The folder that R4 is imported from: workers of this machine import the same."""


class SparkFailed(Exception):
    """Spark did not start, or a job of it ended with an error that is none of the data."""


@contextmanager
def session(
    master: str = LOCAL, memory: str = MEMORY, more: Mapping[str, str] | None = None
) -> Iterator[SparkSession]:
    """A session for the time of a ``with``; what Spark logs goes to a file.

    ``memory`` is the heap of the driver, ``more`` are further settings, by name.

    Raises:
        MissingExtra: pyspark is not installed.
        NoJava: Java is not.
        SparkFailed: it does not start.
    """
    require()
    with _without_logs_of_py4j(), TemporaryDirectory(prefix="r4-spark-") as place:
        log = Path(place, "log")
        settings = _settings(master, memory, place) | dict(more or {})
        with _aside(log):
            spark = _start(settings, log)
        try:
            yield spark
        finally:
            _stop(spark)


@contextmanager
def _without_logs_of_py4j() -> Iterator[None]:
    """Meanwhile what nobody has asked to be logged is not: py4j logs an interrupt as an error."""
    nowhere = NullHandler()
    getLogger().addHandler(nowhere)
    try:
        yield
    finally:
        getLogger().removeHandler(nowhere)


def _settings(master: str, memory: str, place: str) -> dict[str, str]:
    settings = {
        "spark.app.name": "R4",
        "spark.master": master,
        "spark.driver.memory": memory,
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.pyspark.python": sys.executable,
        "spark.pyspark.driver.python": sys.executable,
        "spark.executorEnv.PYTHONPATH": _HOME,
        "spark.sql.warehouse.dir": str(Path(place, "warehouse")),
    }
    if master.startswith("local"):
        # Nobody else has to reach it; `--conf spark.ui.enabled=true` shows what runs.
        settings |= {
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.ui.enabled": "false",
            "spark.local.dir": place,
            "spark.driver.extraJavaOptions": _SHORT_RUN,
        }
    return settings


def _start(settings: Mapping[str, str], log: Path) -> SparkSession:
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    # Spark asks the environment first, which may name a Python without R4.
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = os.pathsep.join(
        dict.fromkeys([_HOME, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))])
    )
    builder = SparkSession.builder
    for name, value in settings.items():
        builder = builder.config(name, value)
    try:
        spark = builder.getOrCreate()
        spark.sparkContext.setLogLevel("ERROR")
    except (PySparkException, Py4JError, RuntimeError, OSError) as error:
        raise SparkFailed(_start_fault(error, log)) from error
    return spark


def _stop(spark: SparkSession) -> None:
    """End the session, and the Java that it ran in: what is written to its log is gone by then."""
    gateway = spark.sparkContext._gateway  # noqa: SLF001 - pyspark has no other way to end it
    spark.stop()
    if gateway is not None:
        from pyspark import SparkContext

        gateway.shutdown()
        process = getattr(gateway, "proc", None)
        if process is not None:
            process.stdin.close()
            process.wait()
        SparkContext._gateway = SparkContext._jvm = None  # noqa: SLF001


def _start_fault(error: Exception, log: Path) -> str:
    """In one line why Spark did not start."""
    last = [line for line in log.read_text("utf-8", "replace").splitlines() if line.strip()]
    fault = next((line for line in last if "Exception" in line or "Error" in line), "")
    return f"Spark does not start: {fault or str(error).splitlines()[0]}"


@contextmanager
def _aside(log: Path) -> Iterator[None]:
    """Let processes started meanwhile write to ``log``: Java keeps the descriptors it gets."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [(number, os.dup(number)) for number in (1, 2)]
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    try:
        for number, _ in kept:
            os.dup2(file, number)
        yield
    finally:
        for number, old in kept:
            os.dup2(old, number)
            os.close(old)
        os.close(file)


PACKAGE: Final = "pyspark"
EXTRA: Final = "spark"
LEAST_JAVA: Final = 17
_VERSION: Final = re.compile(r'version "(?:1\.)?(\d+)')


class NoJava(Exception):
    """There is no Java that Spark can use."""


def require() -> None:
    """Refuse to begin without what Spark needs.

    Raises:
        MissingExtra: pyspark is not installed.
        NoJava: Java is not, or is too old.
    """
    if version_of(PACKAGE) is None:
        raise MissingExtra(EXTRA, PACKAGE)
    java_version()


def java_version() -> int:
    """The version of the Java that Spark would start: that of ``JAVA_HOME``, else of the path.

    Raises:
        NoJava: there is none, or it is older than `LEAST_JAVA`.
    """
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else shutil.which("java")
    advice = (
        f"install Java {LEAST_JAVA} or later (apt install openjdk-{LEAST_JAVA}-jre-headless), or"
        " name its folder with JAVA_HOME"
    )
    output = ""
    if java is not None:
        try:
            output = subprocess.run(  # noqa: S603 - the Java that Spark would start as well
                [java, "-version"], capture_output=True, check=False, text=True
            ).stderr
        except OSError:
            java = None
    found = _VERSION.search(output)
    if java is None or found is None:
        message = f"Java is not installed: {advice}"
        raise NoJava(message)
    if int(found[1]) < LEAST_JAVA:
        message = f"{java} is Java {found[1]}: {advice}"
        raise NoJava(message)
    return int(found[1])
