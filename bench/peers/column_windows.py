"""Peers: pandas, polars and DuckDB, which compute an aggregate of a window at each reading.

All readings are in columns before, and nothing has to be told when it changes. The processor time
is that of the aggregate alone; of polars and DuckDB on one thread.
usage: column_windows.py LIBRARY AGGREGATE SECONDS COUNT
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from time import perf_counter, process_time
from typing import Any, Final

import numpy as np

from bench.workloads.readings import SENSORS, limit_of, readings

_SHARE: Final = 0.95


def pandas(aggregate: str, seconds: int, columns: dict[str, Any]) -> Callable[[], Any]:
    """Rolling windows of groups."""
    import pandas as pd  # noqa: PLC0415 - only one of the three needs to be there

    frame = pd.DataFrame({**columns, "time": pd.to_datetime(columns["time"], unit="s")})
    rolling = frame.set_index("time").groupby("sensor")["value"].rolling(f"{seconds}s")
    if aggregate == "p95":
        return lambda: rolling.quantile(_SHARE, interpolation="higher").to_numpy()
    found: Callable[[], Any] = getattr(rolling, {"avg": "mean"}.get(aggregate, aggregate))
    return found


def polars(aggregate: str, seconds: int, columns: dict[str, Any]) -> Callable[[], Any]:
    """Rolling expressions over groups."""
    os.environ["POLARS_MAX_THREADS"] = "1"
    import polars as pl  # noqa: PLC0415 - likewise

    frame = pl.DataFrame(columns).with_columns(pl.from_epoch("time", time_unit="s"))
    value = pl.col("value")
    of = {
        "count": value.count(),
        "sum": value.sum(),
        "avg": value.mean(),
        "min": value.min(),
        "max": value.max(),
        "p95": value.quantile(_SHARE, interpolation="higher"),
    }[aggregate]
    found = frame.lazy().select(of.rolling("time", period=f"{seconds}s").over("sensor"))
    return lambda: found.collect().get_column("value").to_numpy()


def duckdb(aggregate: str, seconds: int, columns: dict[str, Any]) -> Callable[[], Any]:
    """Window functions of SQL."""
    import duckdb  # noqa: PLC0415 - likewise

    table = duckdb.connect(config={"threads": 1})
    table.register("given", columns)
    table.execute("create table readings as select * from given")
    call = {"p95": f"quantile_disc(value, {_SHARE})"}.get(aggregate, f"{aggregate}(value)")
    query = (
        f"select {call} over (partition by sensor order by time "  # noqa: S608 - no input of others
        f"range between {seconds - 1} preceding and current row) as found from readings"
    )
    return lambda: table.execute(query).fetchnumpy()["found"]


def main(library: str, aggregate: str, seconds: int, count: int) -> dict[str, float]:
    """Seconds of processor time and on the wall; after how many readings it is above the limit."""
    values = readings(count)
    columns = {
        "sensor": np.tile(np.arange(SENSORS), len(values)),
        "time": np.repeat(np.arange(len(values)), SENSORS),
        "value": values.ravel() / 100,
    }
    run = {"pandas": pandas, "polars": polars, "duckdb": duckdb}[library](
        aggregate, seconds, columns
    )
    begun, begun_at = process_time(), perf_counter()
    found = np.asarray(run())
    spent = {"seconds": process_time() - begun, "wall": perf_counter() - begun_at}
    # Doubles are not exact: half of a hundredth decides as hundredths do.
    limit = limit_of(aggregate, seconds) / 100 + 1e-7
    return {**spent, "above": int((found > limit).sum())}


if __name__ == "__main__":
    named, of, *numbers = sys.argv[1:]
    json.dump(main(named, of, *map(int, numbers)), sys.stdout)
