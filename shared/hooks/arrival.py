"""Take a notice that the webhook published: once, from a hook that stands, within its rate, in an admitted chat.

notice ─▶ the hook's swap: right token? rate? seen before? ─▶ now: push (delivery.py)
                                                           ├─▶ next: waits for the chat's next message (showing.py)
                                                           └─▶ quiet: context for the model only (prompt_block.py)
"""

from collections.abc import Callable
from dataclasses import field
from typing import Literal

from shared import logs
from shared.bus.notices import LONGEST_UTF16, HookNotice
from shared.bus.result import EventResult
from shared.clock import HOUR_MS, MINUTE_MS, Clock
from shared.conversation.store import Conversation, Conversations
from shared.errors import LineUnavailableError, TurnBusyError
from shared.frozen import frozen
from shared.hooks.delivery import NoticeDelivery
from shared.hooks.hook import FORGOTTEN_AFTER_MS, Hook, NoticeState
from shared.hooks.store import NOTICE_END, NOTICE_PUSH, HookStore
from shared.line.graphemes import cut
from shared.line.phrases import Phrase, Phrases
from shared.line.readable import readable

_Dropped = Literal["revoked", "rotated", "rate", "late"]


@frozen
class NoticeHandler:
    """Takes notices.  `is_admitted`: whether the bot may send to a chat without an event of the chat."""

    conversations: Conversations
    delivery: NoticeDelivery
    phrases: Phrases
    is_admitted: Callable[[Conversation], bool]
    clock: Clock = field(repr=False)

    def __call__(self, notice: HookNotice, received_ms: int) -> EventResult:
        """The notice is in its hook's object, and pushed if the hook says so; a notice of a revoked hook is dropped.

        Repeated: taken once, pushed once. Raises: StorageUnavailableError, LineRefusedError; safe to deliver again.
        """
        conversation = self.conversations.of(notice.conversation_id)
        if not self.is_admitted(conversation):
            return EventResult.NOT_ADMITTED
        now_ms = self.clock.now_ms()
        if now_ms - received_ms > FORGOTTEN_AFTER_MS:
            return _drop("late")
        store = HookStore(conversation)
        reason: _Dropped | None = "revoked"

        def with_notice(hook: Hook) -> Hook | None:
            nonlocal reason
            reason = self._reason_to_drop(hook, notice, now_ms)
            if reason is not None or notice.id in hook.seen:
                return None
            return hook.with_notice(notice.id, self._text(hook, notice), now_ms=now_ms)

        hook = store.update(notice.hook_id, with_notice)
        if hook is None or reason is not None:
            return _drop(reason or "revoked")
        amendments = conversation.amendments.look()
        if hook.is_from_withdrawn(amendments):
            store.delete_if(store.name_of(hook.id), lambda stored: stored.is_from_withdrawn(amendments))
            return _drop("revoked")
        end_ms = now_ms + FORGOTTEN_AFTER_MS + HOUR_MS
        store.mark(NOTICE_END, hook.id, at_ms=end_ms - end_ms % HOUR_MS)  # one marker an hour, however many notices
        logs.info("notice_taken", mode=hook.mode.value)
        if hook.in_state(NoticeState.PENDING, now_ms=now_ms):
            self._push(store, hook, now_ms)
        return EventResult.STORED

    def _push(self, store: HookStore, hook: Hook, now_ms: int) -> None:
        """Push at once, unless the last push was within a minute, or another worker pushes; a tick does what is left."""
        store.mark(NOTICE_PUSH, hook.id, at_ms=max(now_ms, hook.pushed_ms + MINUTE_MS))
        if hook.claim is not None or now_ms < hook.pushed_ms + MINUTE_MS:
            return
        try:
            self.delivery(store.conversation, hook.id)
        except (LineUnavailableError, TurnBusyError) as cause:
            logs.warning("notices_not_pushed", reason=str(cause))

    def _reason_to_drop(self, hook: Hook, notice: HookNotice, now_ms: int) -> _Dropped | None:
        if notice.mark != hook.mark:
            return "rotated"
        if notice.id not in hook.seen and hook.rate.at(now_ms).is_spent:
            return "rate"
        return None

    def _text(self, hook: Hook, notice: HookNotice) -> str:
        text = cut(readable(notice.text).strip(), limit_utf16=LONGEST_UTF16)
        if not notice.has_picture:
            return text
        return f"{text}\n{self.phrases.text(Phrase.HOOK_PICTURE, locale=hook.locale or None)}".strip()


def _drop(reason: _Dropped) -> EventResult:
    logs.warning("notice_dropped", reason=reason)
    return EventResult.IGNORED
