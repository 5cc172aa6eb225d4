"""The records of a chat as it happens: messages, outcomes, edited words, watermarks.  The JSON Schemas are in schemas/records/."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from shared.conversation.member_mark import mark_id
from shared.conversation.provenance import LATEST_MS, Provenance, Source
from shared.conversation.receipt_lines import compared_arguments, compared_path, compared_texts
from shared.line.messaging import ReplyToken
from shared.metering import ModelUsage
from shared.storage.codec import VERSION
from shared.unknown_fields import Extensible

ANSWERABLE_MS: Final = 20 * 60_000
"""How long after its event a message can be answered.  Source: LINE, "Send reply message": no token works longer."""
REMINDERS_PATH: Final = "reminders/"
"""How the paths of staged writes to reminders begin; those of entries begin with a category."""
_PLACEHOLDER: Final = re.compile(
    r"\[(?:[^\[\]:]*|(?:video|voice message): \d+ s)\]"
)  # stands for a message without words


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageRecord(Extensible):
    """A message as received, or a press of a button; written once, and again only by an edit.

    `text` is what a prompt shows of it; `addressed`: it was meant for the bot. `timestamp_ms` is LINE's, `edited_ms` that of the edit that
    brought the text, 0 if there was none. `reply_token` came with it at `received_ms`; None: it cannot be answered. `presses` names the
    deferral or the proposal whose button was pressed; a press has no message id of LINE's, so its `line_message_id` is the id of its
    webhook event. `line_message_id` is empty in snapshots from before ids were kept.

    `quoted_message_id` is all that is kept of a quote: its words are looked up when they are shown. With `quote_token` an answer quotes
    this message; it is kept in groups and rooms only. `image_set_id` is shared by `image_set_size` images that were sent together (0: LINE
    does not tell how many). `is_described`: `text` says what an image, voice, video or file shows, or no worker tries to describe it again.
    `provenance` is that of such a caption; None: the words are those of the person.
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
    provenance: Provenance | None = None
    edited_ms: int = 0

    @property
    def words(self) -> tuple[str, ...]:
        """The text, if it says anything: answers that show the same "[image]" do not repeat each other's messages."""
        return () if self.type != "text" and _PLACEHOLDER.fullmatch(self.text) else (self.text,)

    @property
    def words_ms(self) -> int:
        """When its words were written, by LINE's timestamp."""
        return max(self.timestamp_ms, self.edited_ms)

    @property
    def source(self) -> Source:
        """The message as a source of what is made of its words."""
        return Source(line_message_id=self.line_message_id, timestamp_ms=self.words_ms, by=mark_id(self.user_id))

    @property
    def token(self) -> ReplyToken | None:
        """Its reply token, or None where it cannot be answered."""
        return (
            ReplyToken(value=self.reply_token, received_ms=self.received_ms) if self.reply_token is not None else None
        )


def provenance_of(messages: Iterable[MessageRecord]) -> Provenance:
    """Return the provenance of something that holds these messages themselves."""
    all_messages = tuple(messages)
    return replace(
        Provenance.of_sources(one.source for one in all_messages),
        since_ms=min((one.timestamp_ms for one in all_messages), default=LATEST_MS),
        until_ms=max((one.timestamp_ms for one in all_messages), default=-1),
    )


class Erasure(StrEnum):
    """What a question with a button asks to erase: the conversation; everything of the chat; or everything, and the bot leaves."""

    RESET = "reset"
    FORGET = "forget"
    LEAVE = "leave"


class OutcomeKind(StrEnum):
    """What became of the messages that an outcome answers."""

    REPLIED = "replied"
    SKIPPED = "skipped"
    APOLOGISED = "apologised"
    DEFERRED = "deferred"
    STORED = "stored"
    UNDELIVERED = "undelivered"
    UNKNOWN = "unknown"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True, kw_only=True)
class StagedWrite(Extensible):
    """A write that a turn stages: of an entry below `entries/{conversation_id}/`, or of a reminder, whose path is `reminders/` and its id.

    `text` is the whole new object; None deletes it. The outcome's sequence and the place in its `writes` are the key of the write, and
    `text` carries that key: it tells that the write was made already, or that a later turn overtook it.
    """

    path: str = field(repr=False)
    text: str | None = field(default=None, repr=False)

    @property
    def reminder_id(self) -> str | None:
        """The id of the reminder that it is for; None: it is for an entry."""
        return self.path.removeprefix(REMINDERS_PATH) if self.path.startswith(REMINDERS_PATH) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidReminder(Extensible):
    """An occurrence of a reminder that could not be pushed, and that an answer says."""

    id: str
    occurrence_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedCall(Extensible):
    """A call of a tool that waits for a tap: its arguments as the text of a JSON object, and the name of what it would touch.

    Both are empty once a withdrawal took the words. `revision`: the state of that thing which the person was shown (`Tool.revision`).
    """

    tool: str
    arguments: str = field(default="", repr=False)
    name: str = field(default="", repr=False)
    revision: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer(Extensible):
    """What the buttons below an answer do; an outcome without a button offers nothing.

    `is_deferral`: "still thinking", and a button that shows the answer once it is there. `asks`: whether to erase, which the message
    `asked_by` asked for. `forgets`: messages of the person `forgets_for` to withdraw. `proposes`: changes to carry out, for ten minutes.
    The press that counts is an outcome of its own, which names this one in `answers`; that of a question to erase or withdraw repeats
    `asks` and `forgets`.
    """

    is_deferral: bool = False
    asks: Erasure | None = None
    asked_by: str | None = None
    forgets: tuple[str, ...] = ()
    forgets_for: str | None = field(default=None, repr=False)
    proposes: tuple[ProposedCall, ...] = ()

    @property
    def may_be_pressed(self) -> bool:
        """Whether a press of a button may confirm something."""
        return bool(self.asks or self.forgets or self.proposes)

    @property
    def has_proposals(self) -> bool:
        """Whether there is a proposal in it that has not lost its words."""
        return any(one.arguments for one in self.proposes)

    def without_proposals(self) -> "Offer":
        """Return it as it stays once nothing that it proposed can be confirmed."""
        return replace(self, proposes=tuple(ProposedCall(tool=one.tool) for one in self.proposes))


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit(Extensible):
    """How a decision came about.

    `model_name` and `prompt_version`: the model, and which instructions and tools it had; None where no model decided. `tools_used`: what
    it called. `skip_kind`: the class of its reason to say nothing. `filed_paths` and `filed_confidence`: the entries that were filed or
    moved, and how sure the last of them is. `isolates`: the prompt held only what was asked, because workers had died over the rest.
    `is_over_limit`: a budget was spent, so the model was not asked. `usage`: the requests to models; a snapshot does not keep it.
    """

    model_name: str | None = None
    prompt_version: str | None = None
    tools_used: tuple[str, ...] = ()
    skip_kind: str | None = None
    filed_paths: tuple[str, ...] = field(default=(), repr=False)
    filed_confidence: float | None = None
    isolates: bool = False
    is_over_limit: bool = False
    usage: tuple[ModelUsage, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeRecord(Extensible):
    """What a turn decided, and what became of it; written once, and rewritten only to take its words out.

    `answered_ids`: the messages that it answers, the newest of which has LINE's `timestamp_ms`. Its `provenance` names these and what its
    prompt itself held, without what earlier answers in the prompt had held. `text`: what was said; None if that was nothing, or was
    withdrawn. `kind`: whether it arrived, in the bubbles `sent_message_ids`. With `quote_token` the first bubble quotes the question.
    `is_joining`: it greets a group that the bot has just joined. `reminders`: the kept ones that it says.

    `answers`: the deferrals and the proposal that it fulfils; a deferral names itself and those that it continues. `sequence` numbers the
    commits of the chat. `writes` are applied to the chat's entries and reminders after the commit.
    """

    version: int = VERSION
    webhook_event_id: str
    timestamp_ms: int
    sequence: int = 0
    kind: OutcomeKind
    answered_ids: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    provenance: Provenance
    text: str | None = field(default=None, repr=False)
    quote_token: str | None = field(default=None, repr=False)
    is_joining: bool = False
    reminders: tuple[SaidReminder, ...] = ()
    writes: tuple[StagedWrite, ...] = ()
    offer: Offer = field(default_factory=Offer)
    sent_message_ids: tuple[str, ...] = ()
    audit: Audit = field(default_factory=Audit)

    @property
    def id(self) -> str:
        """The id by which prompts, answers and recaps name it."""
        return self.webhook_event_id

    @property
    def holds_words(self) -> bool:
        """Whether there is anything in it that a withdrawal has to take out."""
        is_filed = bool(self.writes or self.audit.filed_paths)
        holds_unknown = any(one.holds_unknown_words for one in (self, self.offer, self.audit))
        return self.text is not None or is_filed or self.offer.has_proposals or holds_unknown

    @property
    def words(self) -> tuple[str, ...]:
        """Every text in it that people or the model wrote, for comparison with other texts."""
        proposed = ((one.name, *compared_arguments(one.arguments)) for one in self.offer.proposes)
        answer_texts = compared_texts(self.text or "")
        filed = map(compared_path, self.audit.filed_paths)
        written = (*((compared_path(one.path), one.text) for one in self.writes), *proposed, (*answer_texts, *filed))
        return tuple(text for pair in written for text in pair if text)

    @property
    def is_fixed(self) -> bool:
        """Whether it is a fixed text, which repeats nothing of what it answers: a prompt may always have shown an entry."""
        is_named_only = self.provenance.ids <= frozenset(self.answered_ids)
        return is_named_only and self.provenance.entries_since_ms == LATEST_MS

    def with_fixed_text(self, text: str, kind: OutcomeKind) -> "OutcomeRecord":
        """Return it with a text that repeats nothing of what it answers."""
        provenance = self.provenance.only(frozenset(self.answered_ids))
        provenance = replace(provenance, entries_since_ms=LATEST_MS, outside=frozenset())
        return replace(self, text=text, kind=kind, provenance=provenance)

    def without_words(self, kind: OutcomeKind | None = None) -> "OutcomeRecord":
        """Return it as it stays after a withdrawal."""
        return self.redacted(
            text=None,
            writes=(),
            offer=self.offer.without_proposals().redacted(),
            audit=self.audit.redacted(filed_paths=()),
            kind=kind or self.kind,
        )


def outcome_of(messages: Sequence[MessageRecord], kind: OutcomeKind) -> OutcomeRecord:
    """Return an outcome without words that answers the messages, oldest first, under the newest one's id."""
    return OutcomeRecord(
        webhook_event_id=messages[-1].webhook_event_id,
        timestamp_ms=messages[-1].timestamp_ms,
        kind=kind,
        answered_ids=tuple(one.line_message_id for one in messages),
        provenance=provenance_of(messages),
        quote_token=next((one.quote_token for one in reversed(messages) if one.quote_token), None),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Amendment:
    """The edit or the withdrawal of a message, as it comes.  `text`: the new words; None: it was withdrawn, which is final.

    `by`: the mark of the member who edited (`member_mark`).
    """

    line_message_id: str
    timestamp_ms: int
    text: str | None = field(default=None, repr=False)
    by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EditedWords(Extensible):
    """The newest words of an edited message, by LINE's timestamp of the edit.  `text` None: withdrawn or erased, which is final."""

    version: int = VERSION
    timestamp_ms: int
    text: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Watermark(Extensible):
    """Everything of the chat up to here counts as withdrawn, by LINE's timestamp; filed entries up to `entries_ms`, which may be older."""

    version: int = VERSION
    timestamp_ms: int = -1
    entries_ms: int = -1


def by_time(record: MessageRecord | OutcomeRecord) -> tuple[int, bool]:
    """Return a sort key: LINE's timestamp; an outcome comes after the message whose timestamp it has."""
    return record.timestamp_ms, isinstance(record, OutcomeRecord)
