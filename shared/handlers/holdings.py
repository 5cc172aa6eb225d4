"""Holdings: how much is stored of a chat, counted for the question whether to erase it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from functools import cache

from shared.conversation.redaction.sweep import Sweep
from shared.conversation.store import Conversation
from shared.features.stored_feature import StoredFeature
from shared.features.stored_features import STORED_FEATURES
from shared.frozen import frozen
from shared.locales.language_file import language_file
from shared.locales.lists import listed
from shared.locales.placeholders import filled


class Held(StrEnum):
    """The built-in texts: one for each kind of thing, and what is said where nothing counts."""

    MESSAGES = "messages"
    MEDIA = "media"
    ENTRIES = "entries"
    REMINDERS = "reminders"
    CONVERSATION = "conversation"
    NOTHING = "nothing"


@frozen
class Holding:
    """The count of one kind of thing, as `Counted` says: 8 things in `entries` are "notes 8"."""

    folder: str
    count: int
    words: Mapping[str, str] = field(default_factory=dict, repr=False)
    outlasts_reset: bool = False

    def text(self, locale: str) -> str:
        """Return the count in words: "notes 8" for `text("en")`."""
        words = self.words[locale] if self.words else _texts(locale)[Held(self.folder)]
        return filled(words, count=str(self.count))


def holdings_of(conversation: Conversation, features: Sequence[StoredFeature] = STORED_FEATURES) -> tuple[Holding, ...]:
    """Count everything that the chat would lose: the messages, then the things of each feature that counts; a count of 0 is left out.

    The features count on this thread, because some read in parallel themselves. Raises: StorageUnavailableError.
    """
    snapshot, names = conversation.objects.reads.submit(conversation.snapshot.read), conversation.names
    of_features = [
        Holding(
            folder=feature.folder,
            count=count,
            words=feature.counted.words,
            outlasts_reset=feature.counted.outlasts_reset,
        )
        for feature in features
        if feature.counted is not None and (count := feature.counted.count(conversation))
    ]
    journal = conversation.journal.list_objects()
    record = snapshot.result().record
    message_ids = {names.message_id_in(one.name) for one in journal.messages}
    message_ids |= {one.line_message_id for one in (*record.messages, *record.leaving.messages)}
    for segment in Sweep(archive=conversation.archive).segments_after(-1):
        message_ids |= {one.line_message_id for one in segment.messages}
    messages = (Holding(folder=Held.MESSAGES, count=len(message_ids)),) if message_ids else ()
    return (*messages, *of_features)


def described(holdings: Iterable[Holding], *, locale: str, otherwise: Held = Held.NOTHING) -> str:
    """Return the counts in one line, for example "messages 212, media 3, notes 8, reminders 1"; the text `otherwise` without holdings."""
    texts = [holding.text(locale) for holding in holdings]
    return listed(texts, locale=locale) if texts else _texts(locale)[otherwise]


@cache
def _texts(locale: str) -> Mapping[Held, str]:
    return language_file(locale).table("holdings", dict[Held, str])
