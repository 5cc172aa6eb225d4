"""Hands queued messages to the workers, as Pub/Sub's push subscriptions do: wrapped, to one of two endpoints, many at a time."""

import base64
import datetime as dt
import json
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from shared import logs
from shared.adapters.sqlite import QueuedMessage, SqliteEventQueue
from shared.bus.endpoint import PushEndpoint
from shared.bus.messages import TICK_TYPE, TRACEPARENT, BusMessage
from shared.clock import Clock
from shared.errors import AizuchiError

AT_ONCE: Final = 120  # nearly all of them wait for the model
_A_CHAT_AT_ONCE: Final = 8
"""From so many on, a chat's next messages wait: they would only wait for its turn, in threads that other chats need."""
_AT_A_TIME: Final = 8
_LONGEST_WAIT_S: Final = 30.0
_FAILURE_PAUSE_S: Final = 1.0
_REFUSED: Final = 300
_STOP_S: Final = 20.0
_UNSEND: Final = "unsend"


class Dispatcher:
    """Takes messages in a thread of its own, and handles each in another; as a bus it wakes that thread when it stores some.

    `forgotten` is called after each withdrawal, before its message is acknowledged.
    """

    def __init__(
        self,
        queue: SqliteEventQueue,
        *,
        worker: PushEndpoint,
        unsend: PushEndpoint,
        forgotten: Callable[[], None],
        clock: Clock,
    ) -> None:
        self._queue = queue
        self._worker = worker
        self._unsend = unsend
        self._forgotten = forgotten
        self._clock = clock
        self._busy: Counter[str] = Counter()
        self._in_flight = 0
        self._is_stopping = False
        self._changed = threading.Condition()
        self._has_news = False
        self._handlers = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="event")
        self._thread = threading.Thread(target=self._run, name="dispatcher", daemon=True)
        self.last_message_ms: int | None = None

    def start(self) -> None:
        """Begin to take messages."""
        self._thread.start()

    def stop(self) -> None:
        """Take no more; wait for those being handled, 20 s at most.  What is not done by then comes again at the next start."""
        with self._changed:
            self._is_stopping = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._in_flight == 0, timeout=_STOP_S)
        self._thread.join()
        self._handlers.shutdown(wait=False, cancel_futures=True)

    def publish(self, messages: Sequence[BusMessage]) -> tuple[str, ...]:
        ids = self._queue.publish(messages)
        self.last_message_ms = self._clock.now_ms()
        self._wake()
        return ids

    def tick(self) -> bool:
        """The worker has carried out what is due; return whether it said so.  A tick that failed is not repeated: the next one follows."""
        message = BusMessage(data=json.dumps({"type": TICK_TYPE}).encode(), attributes={"type": TICK_TYPE})
        now_ms = self._clock.now_ms()
        _, status = self._worker("POST", _push_body(message, f"tick-{now_ms}", now_ms, attempt=1))
        return status < _REFUSED

    def _run(self) -> None:
        while not self._is_stopping:
            try:
                if not self._hand_out():
                    self._wait(self._queue.next_due_s())
            except AizuchiError as cause:  # the disk is full, or broken
                logs.error("queue_unreadable", cause=cause)
                self._wait(_FAILURE_PAUSE_S)

    def _hand_out(self) -> int:
        """Take what is due and fits in; return how many."""
        with self._changed:
            self._has_news = False
            free = AT_ONCE - self._in_flight
            in_flight = dict(self._busy)
        taken = (
            self._queue.take(min(free, _AT_A_TIME), in_flight=in_flight, most_of_a_chat=_A_CHAT_AT_ONCE) if free else ()
        )
        with self._changed:
            for message in taken:
                self._busy[message.chat] += 1
            self._in_flight += len(taken)
        for message in taken:
            self._handlers.submit(self._handle, message)
        return len(taken)

    def _wait(self, seconds: float | None) -> None:
        """Wait until a message comes, one is done, or one is due."""
        with self._changed:
            is_full = self._in_flight >= AT_ONCE
            least_s = _FAILURE_PAUSE_S if self._in_flight else 0.0  # what is due may be that of a busy chat
            timeout_s = _LONGEST_WAIT_S if seconds is None or is_full else min(max(seconds, least_s), _LONGEST_WAIT_S)
            self._changed.wait_for(lambda: self._has_news or self._is_stopping, timeout=timeout_s)

    def _wake(self) -> None:
        with self._changed:
            self._has_news = True
            self._changed.notify_all()

    def _handle(self, message: QueuedMessage) -> None:
        try:
            self._push(message)
        except AizuchiError as cause:  # its lease passes, and it comes again
            logs.error("message_not_settled", cause=cause)
        finally:
            with self._changed:
                self._in_flight -= 1
                self._busy[message.chat] -= 1
                if not self._busy[message.chat]:
                    del self._busy[message.chat]
                self._has_news = True
                self._changed.notify_all()

    def _push(self, message: QueuedMessage) -> None:
        is_unsend = message.attributes.get("type") == _UNSEND
        endpoint = self._unsend if is_unsend else self._worker
        wrapped = BusMessage(data=message.data, attributes=message.attributes)
        body = _push_body(wrapped, str(message.id), message.published_ms, attempt=message.attempts)
        _, status = endpoint("POST", body, traceparent=message.attributes.get(TRACEPARENT))
        if status >= _REFUSED:
            self._queue.refuse(message)
            return
        if is_unsend:
            self._forgotten()
        self._queue.acknowledge(message)


def _push_body(message: BusMessage, message_id: str, published_ms: int, *, attempt: int) -> bytes:
    """Return what Pub/Sub would post.  Source: Pub/Sub, "Push subscriptions"."""
    published = dt.datetime.fromtimestamp(published_ms / 1_000, dt.UTC).isoformat(timespec="milliseconds")
    wrapped = {
        "data": base64.b64encode(message.data).decode(),
        "attributes": dict(message.attributes),
        "messageId": message_id,
        "publishTime": published,
    }
    return json.dumps({"message": wrapped, "subscription": "self-hosted", "deliveryAttempt": attempt}).encode()
