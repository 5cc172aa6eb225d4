"""Presence: a loading animation while a turn takes long, and read marks if the account sets them by hand.

Source: LINE, "Display a loading animation": 1:1 chats only, 5 to 60 s, ends with the next message of the account; "Mark as read": only
while the account's chat is on (`markAsReadMode` of the bot info).
"""

import threading
from collections.abc import Iterator
from concurrent.futures import Executor, Future, wait
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import field
from typing import Final, Protocol

from shared.frozen import frozen

SHOWN_S: Final = 5  # the shortest that LINE takes, because a turn may end without a message
_LAST_CALL_S: Final = 5.0


class PresenceApi(Protocol):
    """The calls for showing presence.  No method raises, because no answer depends on presence."""

    def show_loading(self, user_id: str) -> None:
        """Show the loading animation for SHOWN_S; 1:1 chats only.  Repeated: restarts the animation."""
        ...

    def mark_as_read(self, mark_as_read_token: str) -> None:
        """Mark the message and all earlier messages as read."""
        ...

    def marks_reads_by_hand(self) -> bool:
        """Whether the account sets read marks by hand; LINE is asked once.  Unknown: False."""
        ...


@frozen
class Presence:
    """Shows presence during a turn; each running turn in a 1:1 chat occupies a thread of `threads`."""

    api: PresenceApi
    threads: Executor = field(repr=False)
    after_s: float = 1.0
    every_s: float = SHOWN_S - 1.0

    @contextmanager
    def during(self, *, loading_for: str | None = None, mark_as_read_token: str | None = None) -> Iterator[None]:
        """Mark the message as read; while the block runs longer than `after_s`, show the loading animation.

        `loading_for` is the user of a 1:1 chat. No animation begins after the block, so send the answer after it. The API ignores failures.
        """
        ended = threading.Event()
        shown: list[Future[None]] = []
        loading: list[Future[None]] = []
        if mark_as_read_token is not None:
            shown.append(self.threads.submit(copy_context().run, self._mark_as_read, mark_as_read_token))
        if loading_for is not None:
            loading.append(self.threads.submit(copy_context().run, self._keep_loading, loading_for, ended))
        try:
            yield
        finally:
            ended.set()
            # Wait for a call under way, which could begin the animation after the answer that should end it.
            begun = [one for one in loading if not one.cancel()]
            wait([*shown, *begun], timeout=_LAST_CALL_S)

    def _mark_as_read(self, mark_as_read_token: str) -> None:
        if self.api.marks_reads_by_hand():
            self.api.mark_as_read(mark_as_read_token)

    def _keep_loading(self, user_id: str, ended: threading.Event) -> None:
        pause_s = self.after_s
        while not ended.wait(pause_s):
            self.api.show_loading(user_id)
            pause_s = self.every_s
