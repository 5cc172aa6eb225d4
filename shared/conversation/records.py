"""The records of a chat: one JSON object each, with a `version`.  The JSON Schemas are in schemas/records/."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from shared.conversation.provenance import LATEST_MS, Provenance
from shared.line.messaging import ReplyToken
from shared.storage.codec import VERSION


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageRecord:
    """A message as received, or a press of a button; written once, and again only by an edit.

    `text` is what a prompt shows of it, `addressed` whether it was meant for the bot. `timestamp_ms` is LINE's, `edited_ms` that of the
    edit that brought the text, 0 where there was none. `reply_token` came with it at `received_ms`; there is none where it cannot be
    answered. `presses` names the deferral whose button was pressed; a press has no message id of LINE's, so it goes by its webhook event
    id. `line_message_id` is empty in snapshots from before ids were kept.

    `quoted_message_id` is all that is kept of a quote: its words are looked up when they are shown. `quote_token` is by what an answer
    quotes this message; only those of groups and rooms are kept. `image_set_id` is shared by images that were sent together, of which
    there are `image_set_size` where LINE tells. `is_described` tells that `text` says what an image, voice, video or file shows, or that
    nobody tries any more.
    """

    version: int = VERSION
    line_message_id: str = ""
    webhook_event_id: str
    timestamp_ms: int
    type: str
    addressed: bool
    text: str = field(repr=False)
    user_id: str | None = field(default=None, repr=False)
    reply_token: str | None = field(default=None, repr=False)
    received_ms: int = 0
    presses: str | None = None
    quoted_message_id: str | None = None
    quote_token: str | None = field(default=None, repr=False)
    image_set_id: str | None = None
    image_set_size: int = 0
    is_described: bool = False
    edited_ms: int = 0

    @property
    def words_ms(self) -> int:
        """When its words were written, by LINE's timestamp."""
        return max(self.timestamp_ms, self.edited_ms)

    @property
    def token(self) -> ReplyToken | None:
        """Its reply token, or None where it cannot be answered."""
        return (
            ReplyToken(value=self.reply_token, received_ms=self.received_ms) if self.reply_token is not None else None
        )


def provenance_of(messages: Iterable[MessageRecord]) -> Provenance:
    """Return the provenance of something that holds these messages themselves."""
    known = tuple(messages)
    return Provenance(
        ids=frozenset(one.line_message_id for one in known),
        since_ms=min((one.timestamp_ms for one in known), default=LATEST_MS),
        until_ms=max((one.timestamp_ms for one in known), default=-1),
    )


class OutcomeKind(StrEnum):
    """What became of the messages that an outcome covers."""

    REPLIED = "replied"
    SKIPPED = "skipped"
    APOLOGISED = "apologised"
    DEFERRED = "deferred"
    STORED = "stored"
    UNDELIVERED = "undelivered"
    UNKNOWN = "unknown"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True, kw_only=True)
class StagedWrite:
    """What a turn wants written below `entries/{conversation_id}/`: `text` is the whole new object, None means that it goes.

    Its place in the outcome's `writes` and the outcome's sequence are its key, and `text` carries that key: a write that was made
    already, or that a later turn overtook, is told by it.
    """

    path: str = field(repr=False)
    text: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeRecord:
    """What a turn did; written once, and never again except to take the text out.

    `covers` are the messages that it answered, `saw` the newest of those whose words its prompt held, also inside earlier answers; all of
    them lie between `since_ms` and `until_ms`, by LINE's timestamp. `text` is what was said, None where that was nothing or was withdrawn;
    `kind` tells whether it arrived. `timestamp_ms` is LINE's, of the newest message that it answers. `answers` are the deferrals that it
    makes good; a deferral, which `has_button`, names itself and those that it prolongs. `writes` are applied to the chat's entries after
    the commit, and `filed_entry_path` is the entry that was filed or moved last. `sequence` numbers the commits of the chat.
    `quote_token` is by what the first bubble quotes the question. `asks_to_forget` tells that it asks, with a button, whether everything
    may be erased, `is_joining` that it greets a group that the bot has just come into.
    """

    version: int = VERSION
    webhook_event_id: str
    timestamp_ms: int
    kind: OutcomeKind
    covers: tuple[str, ...] = ()
    saw: tuple[str, ...] = ()
    since_ms: int = 0
    until_ms: int = 0
    text: str | None = field(default=None, repr=False)
    answers: tuple[str, ...] = ()
    has_button: bool = False
    model_name: str | None = None
    tools_used: tuple[str, ...] = ()
    sent_message_ids: tuple[str, ...] = ()
    writes: tuple[StagedWrite, ...] = ()
    filed_entry_path: str | None = field(default=None, repr=False)
    filed_confidence: float | None = None
    sequence: int = 0
    quote_token: str | None = field(default=None, repr=False)
    asks_to_forget: bool = False
    is_joining: bool = False

    @property
    def holds_words(self) -> bool:
        """Whether there is anything in it that a withdrawal has to take out."""
        return self.text is not None or bool(self.writes) or self.filed_entry_path is not None

    @property
    def provenance(self) -> Provenance:
        """The messages whose words it may hold."""
        return Provenance(ids=frozenset((*self.covers, *self.saw)), since_ms=self.since_ms, until_ms=self.until_ms)

    def without_words(self, kind: OutcomeKind | None = None) -> "OutcomeRecord":
        """Return it as it stays after a withdrawal."""
        return replace(self, text=None, writes=(), filed_entry_path=None, kind=kind or self.kind)


def outcome_covering(messages: Sequence[MessageRecord], kind: OutcomeKind) -> OutcomeRecord:
    """Return an outcome without words that covers the messages, oldest first, under the newest one's id."""
    return OutcomeRecord(
        webhook_event_id=messages[-1].webhook_event_id,
        timestamp_ms=messages[-1].timestamp_ms,
        kind=kind,
        covers=tuple(one.line_message_id for one in messages),
        since_ms=messages[0].timestamp_ms,
        until_ms=messages[-1].timestamp_ms,
        quote_token=next((one.quote_token for one in reversed(messages) if one.quote_token), None),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Amendment:
    """What became of a message's text after it was sent: None means that it was withdrawn, which is final."""

    version: int = VERSION
    line_message_id: str
    timestamp_ms: int
    text: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Watermark:
    """Everything of the chat up to here counts as withdrawn, by LINE's timestamp; filed entries up to `entries_ms`, which may be older."""

    version: int = VERSION
    timestamp_ms: int = -1
    entries_ms: int = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Recap:
    """Some ten older messages in a few sentences, or in none, where every try to sum them up ended the worker.

    `covers` are its sources, the newest of them of `timestamp_ms`; its words may come from anything between `since_ms` and `until_ms`,
    because answers among them repeat what was said before and after.
    """

    text: str = field(repr=False)
    covers: tuple[str, ...]
    timestamp_ms: int
    since_ms: int
    until_ms: int

    @property
    def provenance(self) -> Provenance:
        """The messages whose words it may hold."""
        return Provenance(ids=frozenset(self.covers), since_ms=self.since_ms, until_ms=self.until_ms)


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotRecord:
    """Older messages and outcomes, folded out of the journal, and recaps of what is older still.

    `messages` are those that prompts show and the sources of the recaps, which they do not. `timeline` has the timestamp of every message
    that something in here may repeat, `covered` that of every message that came to its end not long ago; neither holds words. Folded
    outcomes have no `saw`: the timeline tells what lies between their `since_ms` and `until_ms`. `recap_tries` is how often the next recap
    was asked for since the last one came; until `recap_until_ms` somebody may be at it.
    """

    version: int = VERSION
    messages: tuple[MessageRecord, ...] = ()
    outcomes: tuple[OutcomeRecord, ...] = ()
    recaps: tuple[Recap, ...] = ()
    timeline: Mapping[str, int] = field(default_factory=dict)
    covered: Mapping[str, int] = field(default_factory=dict)
    recap_tries: int = 0
    recap_until_ms: int = 0


def by_time(record: MessageRecord | OutcomeRecord) -> tuple[int, bool]:
    """Sort by LINE's timestamp, and an outcome after the message that it carries the timestamp of."""
    return record.timestamp_ms, isinstance(record, OutcomeRecord)
