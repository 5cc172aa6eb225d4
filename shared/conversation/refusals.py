"""Refusals: marks of words refused by the model's provider, so prompts leave them out and innocent messages are answered.

A mark holds no words, only an id: of a message, an answer or a recap, of a person (`member_mark`) with a refused display name, or of a row
of the index (`row_mark`). Marks are stored in the snapshot, also for records still in the journal; the mark of a record withdrawn, erased
or edited since does not stand any more.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import field
from typing import Final

from shared.conversation.amendments import Amendments
from shared.frozen import frozen
from shared.unknown_fields import Extensible

MOST_REFUSALS: Final = 200  # of a chat; the oldest go first
ROW_PREFIX: Final = "row-"  # no id of LINE's begins so
_DIGITS: Final = 32


@frozen
class Refusal(Extensible):
    """A mark.  `words_ms`: LINE's timestamp of the refused words; `sources`: the messages behind a row of the index."""

    id: str
    words_ms: int
    sources: tuple[str, ...] = field(default=(), repr=False)

    def stands(self, amendments: Amendments) -> bool:
        """Whether the record still has the refused words, as far as this look shows.

        For example, a mark of words from 1,000 ms does not stand after an edit at 2,000 ms.
        """
        is_gone = (
            self.id in amendments.redacted
            or not amendments.withdrawn.isdisjoint({self.id, *self.sources})
            or self.words_ms <= max(amendments.erased_ms, amendments.members.get(self.id, -1))
        )
        return not is_gone and self.words_ms >= amendments.edited_ms.get(self.id, 0)


def standing(refusals: Iterable[Refusal], amendments: Amendments) -> tuple[Refusal, ...]:
    """Return the newest marks that stand, one for each id."""
    by_id = {one.id: one for one in refusals if one.stands(amendments)}
    return tuple(sorted(by_id.values(), key=lambda refusal: (refusal.words_ms, refusal.id))[-MOST_REFUSALS:])


def row_mark(source_ids: Iterable[str], updated_at: str) -> str:
    """Return the id of a row's mark; a change of the entry gives another id."""
    row_content = "\n".join((*sorted(source_ids), updated_at))
    return ROW_PREFIX + hashlib.sha256(row_content.encode()).hexdigest()[:_DIGITS]
