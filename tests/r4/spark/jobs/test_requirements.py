"""What Spark needs, and what is said without it."""

from __future__ import annotations

from pathlib import Path

import pytest

from r4.spark.jobs import requirements


def test_an_old_java_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\"' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(requirements.NoJava, match=r"is Java 11: install Java 17 or later"):
        requirements.require()
