"""Amendments as delivered and as stored: the edit or the withdrawal of a message, the newest words of an edited message, a watermark."""

from collections import Counter
from dataclasses import field

from shared.frozen import frozen
from shared.storage.codec import VERSION
from shared.unknown_fields import Extensible


@frozen
class MadeOfMessage(Extensible):
    """What was made from a message: reminders and notes by their ids, which stay when a path changes.

    A note without an id, as an earlier release filed, is named by the second of its filing, which two notes may share.
    `is_one_note`: the message alone is the source of one note, as of "note: rice, 10 kg".
    """

    notes: tuple[str, ...] = ()
    reminders: tuple[str, ...] = ()
    is_one_note: bool = False

    def __bool__(self) -> bool:
        """Whether anything was made."""
        return bool(self.notes or self.reminders)

    def __or__(self, other: "MadeOfMessage") -> "MadeOfMessage":
        """Return what either names: a worker that has removed a part of it reads the rest only."""
        with_notes = [made for made in (self, other) if made.notes]
        notes = Counter(self.notes) | Counter(other.notes)
        return MadeOfMessage(
            notes=tuple(sorted(notes.elements())),
            reminders=tuple(sorted({*self.reminders, *other.reminders})),
            is_one_note=notes.total() == 1 and all(made.is_one_note for made in with_notes),
        )


@frozen
class Amendment:
    """The edit or the withdrawal of a message, as delivered.  `text`: the new words; None: withdrawn, which is final.

    `by`: the mark of the member who edited (`member_mark`). `made`: what an edit may remove.
    """

    line_message_id: str
    timestamp_ms: int
    text: str | None = field(default=None, repr=False)
    by: str | None = None
    made: MadeOfMessage = field(default_factory=MadeOfMessage)


@frozen
class EditedWords(Extensible):
    """The newest words of an edited message, by LINE's timestamp of the edit.  `text` None: withdrawn or erased, which is final.

    `by`: the mark of the member who edited, as long as there are words: they outlast the edit's event. `made`: what the edit removes,
    until the chat is told, so that a redelivery tells it after a worker died.
    """

    version: int = VERSION
    timestamp_ms: int
    text: str | None = field(default=None, repr=False)
    by: str | None = None
    made: MadeOfMessage = field(default_factory=MadeOfMessage)


@frozen
class Watermark(Extensible):
    """Everything in the chat up to `timestamp_ms`, LINE's, counts as withdrawn; filed entries up to `entries_ms`, which may be older."""

    version: int = VERSION
    timestamp_ms: int = -1
    entries_ms: int = -1
