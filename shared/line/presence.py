"""How the bot shows that it is there: a loading animation while it thinks for long, and read marks where LINE leaves them to the bot.

Source: LINE, "Display a loading animation": 1:1 chats only, 5 to 60 s, ends with the next message of the account; "Mark as read": needs
chat to be on, which `markAsReadMode` of the bot info tells.
"""

import threading
from collections.abc import Iterator
from concurrent.futures import Executor, wait
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Final, Protocol

SHOWN_S: Final = 5  # the least that LINE takes, because a turn may end in silence
_LAST_CALL_S: Final = 5.0


class PresenceApi(Protocol):
    """The calls that show presence.  No method raises: a chat works without them."""

    def show_loading(self, user_id: str) -> None:
        """Show for SHOWN_S that an answer is on its way; 1:1 chats only.  Repeated: shows it anew from then on."""
        ...

    def mark_as_read(self, mark_as_read_token: str) -> None:
        """Show the message and all before it as read."""
        ...

    def marks_reads_by_hand(self) -> bool:
        """Whether the account is in manual mode; asked of LINE once. Unknown: no."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Presence:
    """Shows presence beside a turn, on threads of its own: each turn in a 1:1 chat keeps one of them while it runs."""

    api: PresenceApi
    threads: Executor = field(repr=False)
    after_s: float = 1.0
    every_s: float = SHOWN_S - 1.0

    @contextmanager
    def during(self, *, loading_for: str | None = None, mark_as_read_token: str | None = None) -> Iterator[None]:
        """The message shows as read, and a person whose turn takes longer than a second sees that an answer is on its way.

        `loading_for` is the user of a 1:1 chat. After the block no animation is begun any more, so the answer is sent after it. Failures
        are the API's to forget.
        """
        ended = threading.Event()
        calling = threading.Lock()
        shown = (
            [self.threads.submit(copy_context().run, self._mark_as_read, mark_as_read_token)]
            if mark_as_read_token
            else []
        )
        if loading_for is not None:
            self.threads.submit(copy_context().run, self._keep_loading, loading_for, ended, calling)
        try:
            yield
        finally:
            ended.set()
            # A call under way would begin the animation after the answer that ends it.
            if calling.acquire(timeout=_LAST_CALL_S):
                calling.release()
            wait(shown, timeout=_LAST_CALL_S)

    def _mark_as_read(self, mark_as_read_token: str) -> None:
        if self.api.marks_reads_by_hand():
            self.api.mark_as_read(mark_as_read_token)

    def _keep_loading(self, user_id: str, ended: threading.Event, calling: threading.Lock) -> None:
        pause_s = self.after_s
        while not ended.wait(pause_s):
            with calling:
                if ended.is_set():
                    return
                self.api.show_loading(user_id)
            pause_s = self.every_s
