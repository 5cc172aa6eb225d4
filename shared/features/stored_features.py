"""The features that store something of a chat, listed once: whatever counts, forgets, exports or restores a chat goes through this list."""

from collections.abc import Sequence
from typing import Final

from shared.conversation.external_calls import CallWords
from shared.conversation.media import MediaBytes, count_media
from shared.features.calendars import CALENDARS
from shared.features.entries import ENTRIES
from shared.features.expenses import EXPENSES
from shared.features.hooks import HOOKS
from shared.features.polls import POLLS
from shared.features.reminders import REMINDERS
from shared.features.stored_feature import Counted, StoredFeature
from shared.features.translation import TRANSLATION
from shared.turns.staged_writes import StagedWrites
from shared.turns.undo import UndoWriter

CALLS: Final = StoredFeature(folder="calls", words=CallWords())
MEDIA: Final = StoredFeature(
    folder="media",
    words=MediaBytes(),
    counted=Counted(count=count_media, outlasts_reset=False),
)

# Calendars come last: their feeds are derived from what is removed, or written, before
STORED_FEATURES: Final[Sequence[StoredFeature]] = (
    CALLS,
    MEDIA,
    ENTRIES,
    REMINDERS,
    EXPENSES,
    POLLS,
    HOOKS,
    TRANSLATION,
    CALENDARS,
)


def writer_of(features: Sequence[StoredFeature] = STORED_FEATURES) -> StagedWrites:
    """Return the writer of what turns stage, and of the undo record."""
    return StagedWrites((*(one.writer for one in features if one.writer is not None), UndoWriter()))
