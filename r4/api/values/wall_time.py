"""Elements and the time of a clock in one sequence: what moves an engine while nothing arrives."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from r4.api.values.event_clock import Instant

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")

PERIOD: Final = 0.04
"""Seconds from one move of the clock to the next."""


class Clock(Protocol):
    """A clock that an engine can wait for."""

    def now(self) -> Instant:
        """What it shows."""

    async def sleep(self, seconds: float) -> None:
        """Wait for so long."""


class SystemClock:
    """The computer's clock."""

    def now(self) -> datetime:
        """The time of day."""
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        """Wait for so long."""
        from asyncio import sleep  # noqa: PLC0415 - who waits has loaded it

        await sleep(seconds)


async def with_clock(
    elements: AsyncIterable[T], clock: Clock | None
) -> AsyncGenerator[tuple[T | None, Instant | None], None]:
    """The ``elements`` as they arrive; every `PERIOD`, behind them, what the clock shows.

    Without a clock the elements alone.
    """
    if clock is None:
        async for element in elements:
            yield element, None
        return
    from asyncio import FIRST_COMPLETED, ensure_future, wait  # noqa: PLC0415

    iterator = aiter(elements)
    arrival: asyncio.Future[T] | None = None
    period: asyncio.Future[None] | None = None
    try:
        while True:
            arrival = arrival or ensure_future(anext(iterator))
            period = period or ensure_future(clock.sleep(PERIOD))
            either: set[asyncio.Future[Any]] = {arrival, period}
            await wait(either, return_when=FIRST_COMPLETED)
            if arrival.done():
                try:
                    element = arrival.result()
                except StopAsyncIteration:
                    return
                arrival = None
                yield element, None
            if period.done():
                period.result()
                period = None
                yield None, clock.now()
    finally:
        for waiting in (arrival, period):
            if waiting is not None:
                waiting.cancel()
