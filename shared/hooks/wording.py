"""The words of notices for people: under the hook's name, with the hour of what comes late.

🔔 backup (09:15)
The backup is done
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from shared.agent.receipts import without_receipt_symbols
from shared.clock import MINUTE_MS
from shared.conversation.amendments import Amendments
from shared.conversation.records import CarriedNotices
from shared.frozen import frozen
from shared.hooks.hook import Hook, Notice, NoticeState, notice_name
from shared.line.ids import mask_ids
from shared.line.phrases import Phrases
from shared.line.utf16 import utf16_length

BUBBLE_UTF16: Final = 4_500
_LATE_MS: Final = 2 * MINUTE_MS
_GAP: Final = "\n\n"


@frozen
class NoticeWording:
    """Words notices."""

    phrases: Phrases

    def bubble(self, notices: Iterable[tuple[Hook, Notice]], *, now_ms: int) -> CarriedNotices | None:
        """Return the oldest notices that fit into a bubble, each hook's under its name; None without notices."""
        chosen: list[tuple[Hook, Notice]] = []
        length = 0
        for hook, notice in sorted(notices, key=lambda pair: (pair[1].at_ms, pair[1].id)):
            length += utf16_length(self._line(hook, notice, now_ms)) + len(_GAP)
            if chosen and length > BUBBLE_UTF16:
                break
            chosen.append((hook, notice))
        if not chosen:
            return None
        return CarriedNotices(
            names=tuple(notice_name(hook.id, notice.id) for hook, notice in chosen),
            text=_GAP.join(self._line(hook, notice, now_ms) for hook, notice in chosen),
        )

    def _line(self, hook: Hook, notice: Notice, now_ms: int) -> str:
        is_late = now_ms - notice.at_ms > _LATE_MS
        hour = f" ({self.phrases.hour(notice.at_ms)})" if is_late else ""
        return without_receipt_symbols(mask_ids(f"🔔 {hook.name}{hour}\n{notice.text}"))


def waiting_in(hooks: Sequence[Hook], amendments: Amendments, *, now_ms: int) -> Iterator[tuple[Hook, Notice]]:
    """Yield the notices that wait for the chat's next message, each with its hook."""
    for hook in hooks:
        if not hook.is_from_withdrawn(amendments):
            for notice in hook.in_state(NoticeState.WAITING, now_ms=now_ms, amendments=amendments):
                yield hook, notice
