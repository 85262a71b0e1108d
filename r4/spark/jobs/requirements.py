"""What Spark needs on this machine, and the line that says what is missing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

from r4.extras import MissingExtra, version_of

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
