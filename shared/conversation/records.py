"""The records of a chat as it happens: messages, outcomes, edited words, watermarks.  The JSON Schemas are in schemas/records/."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import field, replace
from enum import StrEnum
from typing import Final

from shared.conversation.member_mark import mark_id
from shared.conversation.provenance import LATEST_MS, Provenance, Source
from shared.conversation.receipt_lines import compared_arguments, compared_path, compared_texts
from shared.conversation.silences import SilenceChange
from shared.frozen import frozen
from shared.line.messaging import ReplyToken
from shared.line.postback_data import AnswerButton
from shared.metering import ModelUsage
from shared.storage.codec import VERSION
from shared.unknown_fields import Extensible

ANSWERABLE_MS: Final = 20 * 60_000
"""How long after its event a message can be answered.  Source: LINE, "Send reply message": no token works longer."""
# The text of a message without words, such as `[image]`.
_PLACEHOLDER: Final = re.compile(r"\[(?:[^\[\]:]*|(?:video|voice message): \d+ s)\]")


@frozen
class MessageRecord(Extensible):
    """A message as received, or a press of a button; written once, rewritten only by an edit.

    `text`: the form shown in prompts. `addressed`: the message was meant for the bot. `timestamp_ms` is LINE's; `edited_ms` is the
    timestamp of the edit that brought the text, 0 without an edit. `reply_token`: None if the message cannot be answered. `presses`: the id
    of the deferral or proposal with the pressed `button`. A press has no message id at LINE, so `line_message_id` is then the id of the
    webhook event. Snapshots from before ids were stored have an empty `line_message_id`.

    `quoted_message_id` is all that is stored of a quote; the quoted words are looked up when shown. With `quote_token` an answer quotes the
    message; stored in groups and rooms only. `image_set_id` is shared by `image_set_size` images sent together (0: LINE does not report the
    number). `is_described`: `text` holds a caption of an image, voice, video or file, or no worker is to try again. `provenance` belongs to
    the caption; None: the words are the person's own.
    """

    version: int = VERSION
    line_message_id: str
    webhook_event_id: str
    timestamp_ms: int
    type: str
    addressed: bool
    text: str = field(repr=False)
    user_id: str | None = field(default=None, repr=False)
    reply_token: ReplyToken | None = field(default=None, repr=False)
    presses: str | None = None
    button: AnswerButton | None = None
    quoted_message_id: str | None = None
    quote_token: str | None = field(default=None, repr=False)
    image_set_id: str | None = None
    image_set_size: int = 0
    is_described: bool = False
    provenance: Provenance | None = None
    edited_ms: int = 0

    @property
    def words(self) -> tuple[str, ...]:
        """The text, unless a mere placeholder: two answers that show the same "[image]" do not repeat each other's messages.

        For example, the text `[voice message: 12 s]` of an audio message gives `()`.
        """
        return () if self.type != "text" and _PLACEHOLDER.fullmatch(self.text) else (self.text,)

    @property
    def words_ms(self) -> int:
        """When the words were written, by LINE's timestamp."""
        return max(self.timestamp_ms, self.edited_ms)

    @property
    def source(self) -> Source:
        """The message as the source of everything made from the words."""
        return Source(line_message_id=self.line_message_id, timestamp_ms=self.words_ms, by=mark_id(self.user_id))

    def refreshed_by(self, delivered: "MessageRecord") -> "MessageRecord":
        """Return the record with the token of a later delivery: a redelivery begins the token's minute anew.

        A record without a token, such as mere context, stays without.
        """
        token, later = self.reply_token, delivered.reply_token
        if token is None or later is None or later.received_ms <= token.received_ms:
            return self
        return replace(self, reply_token=later)


def provenance_of(messages: Iterable[MessageRecord]) -> Provenance:
    """Return the provenance of a record that holds the messages themselves."""
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
    """What became of the messages answered by an outcome."""

    REPLIED = "replied"
    SKIPPED = "skipped"
    APOLOGISED = "apologised"
    DEFERRED = "deferred"
    STORED = "stored"
    UNDELIVERED = "undelivered"
    UNKNOWN = "unknown"
    WITHDRAWN = "withdrawn"


_ARRIVED: Final = frozenset({OutcomeKind.REPLIED, OutcomeKind.UNKNOWN, OutcomeKind.WITHDRAWN})


@frozen
class StagedWrite(Extensible):
    """A write staged by a turn: of an entry below `entries/{conversation_id}/`, or of a reminder, with the path `reminders/` and the id.

    `text` is the whole new object; None deletes the object. The key of the write is the outcome's sequence and the position in `writes`.
    `text` carries the key, so a repeated write is recognised, and so is a write overtaken by a later turn.
    """

    path: str = field(repr=False)
    text: str | None = field(default=None, repr=False)


@frozen
class SaidReminder(Extensible):
    """An occurrence of a reminder that could not be pushed, so an answer says the reminder."""

    id: str
    occurrence_ms: int


@frozen
class CarriedNotices(Extensible):
    """Notices of hooks that are sent along in a bubble of their own: their names (`notice_name`), and the text until it was sent."""

    names: tuple[str, ...]
    text: str = field(default="", repr=False)


@frozen
class TranslatedBubble(Extensible):
    """A message in other languages: the text, which quotes the message, until it was sent."""

    line_message_id: str
    text: str = field(default="", repr=False)
    quote_token: str | None = field(default=None, repr=False)


@frozen
class Translations(Extensible):
    """The bubbles of an outcome that translates; after sending only the ids of the messages are stored.

    `tells_limit`: the outcome says that no more is translated today.
    """

    bubbles: tuple[TranslatedBubble, ...] = ()
    tells_limit: bool = False

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts that are not sent yet."""
        return tuple(bubble.text for bubble in self.bubbles if bubble.text)

    def without_texts(self) -> "Translations":
        """Return the record as it stays after the sending: which message each bubble translated."""
        bubbles = (TranslatedBubble(line_message_id=bubble.line_message_id) for bubble in self.bubbles)
        return replace(self.redacted(), bubbles=tuple(bubbles))


@frozen
class ProposedCall(Extensible):
    """A tool call that waits for a tap: the arguments as the text of a JSON object, and the name of the object to be changed.

    Both are empty once a withdrawal has removed the words. `revision`: the state of the object as shown to the person (`Tool.revision`).
    `due_at` and `due_rule`: when a reminder that the call changes is due, for example 2026-11-26T09:00 and `FREQ=DAILY`.
    """

    tool: str
    arguments: str = field(default="", repr=False)
    name: str = field(default="", repr=False)
    revision: str = ""
    due_at: str = ""
    due_rule: str = ""


@frozen
class OfferedHook(Extensible):
    """A hook that a press makes: its name, and when its notices are shown (`HookMode`)."""

    mode: str
    name: str = field(default="", repr=False)


class TermChange(StrEnum):
    """What a press changes about a word: translations keep it as it is, or translate it again."""

    KEEP = "keep"
    DROP = "drop"


@frozen
class OfferedTranslation(Extensible):
    """What a press changes about translation: the languages between which it begins; none: it ends.

    `by`: the mark of the member who asked; empty: unknown. `is_joining`: translation is on for that member, and a press of another member
    begins it for everybody. `term_change`: the press changes only the `term`, which stays with its question; None: no term.
    """

    languages: tuple[str, ...] = ()
    by: str = ""
    is_joining: bool = False
    term: str = field(default="", repr=False)
    term_change: TermChange | None = None

    def without_term(self) -> "OfferedTranslation":
        """Return the offer without the word, which is a person's; what kind of change it is stays."""
        return replace(self, term="")


@frozen
class Offer(Extensible):
    """What the buttons below an answer do; an outcome without a button offers nothing.

    `is_deferral`: "still thinking", with a button that shows the answer once ready. `asks`: whether to erase, as requested by message
    `asked_by`. `forgets`: messages to withdraw, of the person `forgets_for`. `proposes`: changes to carry out within ten minutes. The press
    that counts is an outcome of its own, and lists the offer's outcome in `answers`, so memory keeps both. For a question to erase, to
    withdraw or to be silent, it repeats `asks`, `forgets` and `silence`, and has the question's `locale`. `locale`: the language of the
    lines and buttons that the code adds to an answer; empty: that of the text. `silence`: the pause, resumption or handover that a press
    begins. `has_languages`: whether quick replies choose the language.
    `refiles`: the edited message whose new words the proposal files, because a note of the old words is gone.
    `is_postponed`: where the text could not be sent, the chat's next answer says it; of texts with one `said_once_as`, only the newest,
    for example of `list_press_late` in Japanese and in Thai.
    `suggests`: short things that a person might say next, each by a tap.
    `card`: the words of the text as a card (`card_text`), until it was sent.
    `hook`: the hook that a press makes. `token_of`: the address of the hook whose token is shown below the text, until it was sent.
    `feed_url`: the address of the chat's calendar, shown below the text, until it was sent.
    `translation`: what a press changes about translation.
    """

    is_deferral: bool = False
    asks: Erasure | None = None
    silence: SilenceChange | None = None
    asked_by: str | None = None
    forgets: tuple[str, ...] = ()
    forgets_for: str | None = field(default=None, repr=False)
    proposes: tuple[ProposedCall, ...] = ()
    refiles: str | None = None
    is_postponed: bool = False
    said_once_as: str = ""
    suggests: tuple[str, ...] = field(default=(), repr=False)
    card: str = field(default="", repr=False)
    has_languages: bool = False
    locale: str = ""
    hook: OfferedHook | None = None
    token_of: str = field(default="", repr=False)
    feed_url: str = field(default="", repr=False)
    translation: OfferedTranslation | None = None

    @property
    def may_be_pressed(self) -> bool:
        """Whether a press of a button may confirm something."""
        return bool(self.asks or self.silence or self.forgets or self.proposes or self.hook or self.translation)

    @property
    def questions(self) -> int:
        """The number of questions below an answer, a bubble each."""
        return sum((bool(self.silence), bool(self.translation), bool(self.forgets), self.has_proposals))

    @property
    def has_proposals(self) -> bool:
        """Whether a proposal still has words."""
        return any(one.arguments for one in self.proposes)

    def without_proposals(self) -> "Offer":
        """Return the offer with only the tool names of the proposals, and without a term, so nothing of them can be confirmed."""
        translation = self.translation.without_term() if self.translation is not None else None
        proposes = tuple(ProposedCall(tool=one.tool) for one in self.proposes)
        return replace(self, proposes=proposes, translation=translation)


@frozen
class Audit(Extensible):
    """How a decision came about.

    `model_name` and `prompt_version`: the model, with the version of instructions and tools; None where no model decided. `tools_used`: the
    tools called. `skip_kind`: the class of the reason to say nothing. `filed_paths` and `filed_confidence`: the entries filed or moved, and
    the confidence of the last one. `isolates`: the prompt held only the question, because workers had died over the rest. `is_over_limit`:
    the budget was spent, so the model was not asked. `usage`: the requests to models; left out of snapshots.
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


@frozen
class OutcomeRecord(Extensible):
    """The decision of a turn, and what became of the answer; written once, rewritten only to remove words.

    `answered_ids`: the messages answered; `timestamp_ms` is LINE's, of the newest. `pressed_ids`: the events of other presses that were
    carried out with the outcome's own, so that one answer tells of all. `provenance` names the answered messages and everything in the
    prompt itself, but nothing held only by the prompts of earlier answers. `text`: the words sent; None if there were none, or after a
    withdrawal. `kind`: whether the answer arrived, in the bubbles `sent_message_ids`. With `quote_token` the first bubble quotes the
    question. `is_joining`: a greeting of a group just joined by the bot. `is_silent`: the text makes no sound on phones. `reminders`: the
    postponed reminders said by the answer. `notices`: notices of hooks that are sent along, until the outcome is recorded. `translations`:
    the bubbles of an outcome that translates messages of members.

    `answers`: the deferrals and the proposal fulfilled; a deferral lists its own id and the deferrals continued by it. `sequence` numbers
    the chat's commits. `writes` are applied to the chat's entries and reminders after the commit.
    """

    version: int = VERSION
    webhook_event_id: str
    timestamp_ms: int
    sequence: int = 0
    kind: OutcomeKind
    answered_ids: tuple[str, ...] = ()
    pressed_ids: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    provenance: Provenance
    text: str | None = field(default=None, repr=False)
    quote_token: str | None = field(default=None, repr=False)
    is_joining: bool = False
    is_silent: bool = False
    reminders: tuple[SaidReminder, ...] = ()
    notices: CarriedNotices | None = None
    translations: Translations | None = None
    writes: tuple[StagedWrite, ...] = ()
    offer: Offer = field(default_factory=Offer)
    sent_message_ids: tuple[str, ...] = ()
    audit: Audit = field(default_factory=Audit)

    @property
    def id(self) -> str:
        """The outcome's id in prompts, answers and recaps."""
        return self.webhook_event_id

    @property
    def covered_ids(self) -> tuple[str, ...]:
        """The messages and other presses that need no outcome of their own."""
        return self.answered_ids + self.pressed_ids

    @property
    def holds_words(self) -> bool:
        """Whether a withdrawal has anything to remove."""
        return (
            self.is_spoken
            or bool(self.writes or self.audit.filed_paths or self.offer.suggests)
            or self.offer.has_proposals
            or any(one.holds_unknown_words for one in (self, self.offer, self.audit))
        )

    @property
    def is_spoken(self) -> bool:
        """Whether there is anything to send."""
        has_notices = self.notices is not None and bool(self.notices.text)
        return self.text is not None or has_notices or bool(self.translated_texts)

    @property
    def tells_limit(self) -> bool:
        """Whether the outcome may tell of a spent budget, or of a spent part for translation."""
        return self.audit.is_over_limit or (self.translations is not None and self.translations.tells_limit)

    @property
    def translated_texts(self) -> tuple[str, ...]:
        """The translations that are not sent yet."""
        return () if self.translations is None else self.translations.texts

    @property
    def words(self) -> tuple[str, ...]:
        """Every text by people or the model in the outcome, for comparison with other texts."""
        proposed = ((one.name, *compared_arguments(one.arguments)) for one in self.offer.proposes)
        answer_texts = compared_texts(self.text or "")
        filed = map(compared_path, self.audit.filed_paths)
        term = self.offer.translation.term if self.offer.translation is not None else ""
        shown = (*answer_texts, *filed, *self.offer.suggests, *self.translated_texts, term)
        written = (*((compared_path(one.path), one.text) for one in self.writes), *proposed, shown)
        return tuple(text for pair in written for text in pair if text)

    @property
    def is_fixed(self) -> bool:
        """Whether the answer is a fixed text, without a word of the answered messages; an answer from a prompt may repeat an entry."""
        names_more = self.provenance.derived_ids or not self.provenance.message_ids <= frozenset(self.answered_ids)
        return not names_more and self.provenance.entries_since_ms == LATEST_MS

    def with_fixed_text(self, text: str, kind: OutcomeKind) -> "OutcomeRecord":
        """Return the outcome with a text that repeats no words of the answered messages."""
        provenance = self.provenance.only_messages(frozenset(self.answered_ids))
        provenance = replace(provenance, entries_since_ms=LATEST_MS, outside=frozenset())
        return replace(self, text=text, kind=kind, provenance=provenance)

    def without_words(self, kind: OutcomeKind | None = None) -> "OutcomeRecord":
        """Return the outcome without texts, staged writes, proposals and filed paths, as it stays after a withdrawal."""
        return self.redacted(
            text=None,
            notices=None if self.notices is None else self.notices.redacted(text=""),
            translations=None if self.translations is None else self.translations.without_texts(),
            writes=(),
            offer=replace(
                self.offer.without_proposals(), suggests=(), card="", hook=None, token_of="", feed_url=""
            ).redacted(),
            audit=self.audit.redacted(filed_paths=()),
            kind=kind or self.kind,
        )


def outcome_of(messages: Sequence[MessageRecord], kind: OutcomeKind) -> OutcomeRecord:
    """Return an outcome without words for messages, oldest first, under the id of the newest event.

    For example, the outcome of the events `e1` and `e2` has the id `e2`, and quotes the newest message that has a quote token.
    """
    return OutcomeRecord(
        webhook_event_id=messages[-1].webhook_event_id,
        timestamp_ms=messages[-1].timestamp_ms,
        kind=kind,
        answered_ids=tuple(one.line_message_id for one in messages),
        provenance=provenance_of(messages),
        quote_token=next((one.quote_token for one in reversed(messages) if one.quote_token), None),
    )


def by_time(record: MessageRecord | OutcomeRecord) -> tuple[int, bool]:
    """Return a sort key: LINE's timestamp, with an outcome after the message of the same timestamp.

    For example, an outcome at 1,000 ms sorts by `(1000, True)`, after the message's `(1000, False)`.
    """
    return record.timestamp_ms, isinstance(record, OutcomeRecord)


def waiting_texts(outcomes: Iterable[OutcomeRecord]) -> tuple[OutcomeRecord, ...]:
    """Return the postponed texts that no answer among the outcomes has said.  A text whose words a withdrawal removed no longer waits."""
    all_outcomes = tuple(outcomes)
    said_ids = {name for outcome in all_outcomes if outcome.kind in _ARRIVED for name in outcome.answers}
    return tuple(
        outcome
        for outcome in all_outcomes
        if outcome.offer.is_postponed
        and outcome.kind is OutcomeKind.UNDELIVERED
        and outcome.text
        and outcome.id not in said_ids
    )
