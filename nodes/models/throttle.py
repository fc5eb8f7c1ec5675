"""How many calls one endpoint gets at once."""

import asyncio

from anyio import CapacityLimiter, WouldBlock

LONGEST_PAUSE_S = 60.0
"""An endpoint that asks for a longer pause (a spent daily quota) is tried after this long, and then given up."""


class Throttle:
    """A limit on calls in flight: halved when the endpoint pushes back, raised by one after as many good replies.

    Attributes:
        most: the limit that was set.
        lowest: the lowest limit it has come down to.
        waited: seconds that calls have waited, all together.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.lowest = most
        self.waited = 0.0
        self._limiter = CapacityLimiter(most)
        self._good = 0
        self._resume_at = 0.0
        self._eased_at = 0.0

    @property
    def limit(self) -> int:
        """The limit now."""
        return int(self._limiter.total_tokens)

    def lower_to(self, most: int) -> None:
        """Take on a lower limit; a higher one changes nothing."""
        self.most = min(self.most, most)
        self.lowest = min(self.lowest, self.most)
        self._limiter.total_tokens = min(self.limit, self.most)

    async def __aenter__(self) -> None:
        """Take one of the calls in flight, after any pause the endpoint asked for."""
        clock = asyncio.get_running_loop().time
        asked = clock()
        try:
            self._limiter.acquire_nowait()  # waiting for a free place takes a turn of the loop even when there is one
        except WouldBlock:
            await self._limiter.acquire()
        try:
            # asked again after each sleep: the endpoint may have asked for more meanwhile
            while (wait := self._resume_at - clock()) > 0:  # noqa: ASYNC110 - a known time
                await asyncio.sleep(wait)
        except BaseException:
            self._limiter.release()
            raise
        self.waited += clock() - asked

    async def __aexit__(self, *_: object) -> None:
        """Give it back."""
        self._limiter.release()

    def pushed_back(self, started: float, retry_after: float | None) -> None:
        """Ease off: the endpoint said it gets too many calls.

        Args:
            started: the loop's time when that call was sent.
            retry_after: seconds the endpoint asked to be left alone, or None.
        """
        now = asyncio.get_running_loop().time()
        if retry_after:
            self._resume_at = max(self._resume_at, now + min(retry_after, LONGEST_PAUSE_S))
        self._good = 0
        if started < self._eased_at:
            return  # sent before the limit last came down, so it says nothing about the new one
        self._eased_at = now
        self._limiter.total_tokens = max(1, self.limit // 2)
        self.lowest = min(self.lowest, self.limit)

    def went_well(self) -> None:
        """Count a good reply, and recover."""
        if self.limit >= self.most:
            return
        self._good += 1
        if self._good >= self.limit:
            self._good = 0
            self._limiter.total_tokens = self.limit + 1
