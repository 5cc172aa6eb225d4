"""The turn of a chat: a state machine with compare-and-swap as its only transition.  The writer of the newest generation holds the turn.

    idle ──open──▶ thinking ──commit──▶ committed ──its outcome is recorded──▶ (as good as idle)
                      └── expired: any worker may open it again, tries + 1

The object is rewritten, never deleted. Every write carries a token of its writer: Cloud Storage's client repeats a write whose answer was
lost, and then reports a conflict. The token shows that the write won.
"""

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Final, Literal, TypeAlias

from shared.clock import SKEW_MS, Clock
from shared.conversation.records import ANSWERABLE_MS, OutcomeKind, OutcomeRecord
from shared.conversation.spending import Ledger, Spending
from shared.errors import StorageUnavailableError
from shared.frozen import frozen
from shared.line.messaging import ReplyToken
from shared.storage.codec import VERSION, decode, encode
from shared.storage.compare_and_swap import SWAP_ATTEMPTS
from shared.storage.object_names import ObjectNames
from shared.storage.object_store import ObjectStore
from shared.storage.versioned import Versioned
from shared.unknown_fields import Extensible

# The part of a lease after which the holder writes nothing: clocks differ by 5 s, and a call takes effect within 3 s.
FENCE: Final = 17 / 25
_COVERED_RETAINED: Final = 1_000
_WRITE_GAP_MS: Final = 1_000
_UNSEEN: Final = frozenset({OutcomeKind.SKIPPED, OutcomeKind.UNDELIVERED})
_REMINDERS: Final = "reminders/"
"""With what the paths of staged writes of reminders begin."""


@frozen
class Route(Extensible):
    """How an outcome reaches the chat: on `reply_token`, by a push, or not at all."""

    kind: Literal["none", "token", "push"] = "none"
    reply_token: ReplyToken | None = field(default=None, repr=False)

    @classmethod
    def on(cls, token: ReplyToken | None) -> "Route":
        """Return the route on a token; none without a token.

        For example, `Route.on(None).kind` is "none".
        """
        return cls() if token is None else cls(kind="token", reply_token=token)


@frozen
class TurnRecord(Extensible):
    """turns/{conversation_id}.json.

    thinking: `holder` thinks until `expires_ms`; `tries` holders died since an outcome covered a message. `epoch` counts the amendments
    during a turn: a holder that finds the epoch moved looks at the amendments. committed: `outcome` is final and leaves by `route`; nothing
    else will be sent. `holder` delivers until `expires_ms`; then any worker may take over.

    `sequence` numbers the commits of the chat. `covered`: the messages of earlier outcomes, and the events of outcomes without a message,
    each with the timestamp of the outcome, for as long as a message can be answered. `spending`: the turns and tokens used today. `left`
    counts how often ticks postponed words to the chat's next answer; `said`: the count at which a turn last found nothing waiting. If the
    two differ, something may wait. `locale`: the language that a member chose for the chat's fixed texts, for example "th"; empty: none.
    `may_have_reminders`: false only if a turn found no reminder and no commit has written one since, so prompts need no listing of them.
    `is_unasked`: the holder's work is not an answer to a question, for example a command, an interjection or a translation.
    """

    version: int = VERSION
    state: Literal["idle", "thinking", "committed"] = "idle"
    writer: str = ""
    holder: str = ""
    expires_ms: int = 0
    tries: int = 0
    epoch: int = 0
    sequence: int = 0
    covered: Mapping[str, int] = field(default_factory=dict)
    outcome: OutcomeRecord | None = None
    route: Route = field(default_factory=Route)
    spending: Spending = field(default_factory=Spending)
    left: int = 0
    said: int = -1
    locale: str = ""
    may_have_reminders: bool = True
    is_unasked: bool = False

    @property
    def chosen_locale(self) -> str | None:
        """The language that a member chose for the chat; None: no member has."""
        return self.locale or None

    @property
    def committed(self) -> OutcomeRecord | None:
        """The committed outcome, recorded or not."""
        return self.outcome if self.state == "committed" else None

    @property
    def has_left(self) -> bool:
        """Whether something may wait for the chat's next answer.

        For example, `left` 3 with `said` 2: a tick postponed words since a turn last found nothing waiting.
        """
        return self.left != self.said

    @property
    def writes_reminders(self) -> bool:
        """Whether the committed outcome writes a reminder, perhaps after a listing that was begun meanwhile."""
        return self.outcome is not None and _writes_reminders(self.outcome)

    def next_tries(self, now_ms: int) -> int:
        """Return the tries of the messages that wait, where a worker opens the turn after this record, whose lease is over.

        Tries do not count once all messages of the dead holders are too old to be answered. Holders of unasked work that died count as one
        try together: the cause may be missing in the prompt of a question, so the question keeps a try with the whole context. Example: a
        summary killed three workers; the next question is asked as the second try.
        """
        if now_ms - self.expires_ms >= ANSWERABLE_MS:
            return 0
        if self.state != "thinking":
            return self.tries
        return max(self.tries, 1) if self.is_unasked else self.tries + 1

    def followed_by(self, state: Literal["idle", "thinking"], *, now_ms: int, tries: int = 0) -> "TurnRecord":
        """Return the turn in the next state, once the outcome, if any, is recorded: what the outcome answers is covered from now on."""
        outcome = self.outcome
        ended = (
            {}
            if outcome is None
            else dict.fromkeys(
                (*(outcome.answered_ids or (outcome.webhook_event_id,)), *outcome.pressed_ids), outcome.timestamp_ms
            )
        )
        covered = sorted({**self.covered, **ended}.items(), key=lambda item: item[1])
        return TurnRecord(
            unknown_fields=self.unknown_fields,
            state=state,
            tries=tries,
            epoch=self.epoch,
            sequence=self.sequence,
            covered={one: at for one, at in covered[-_COVERED_RETAINED:] if now_ms - at < ANSWERABLE_MS + SKEW_MS},
            spending=self.spending,
            left=self.left,
            said=self.said,
            locale=self.locale,
            may_have_reminders=self.may_have_reminders,
        )

    def with_outcome(self, outcome: OutcomeRecord, route: Route) -> "TurnRecord":
        """Return the turn with the numbered outcome.  A reserved turn is spent if the model was asked, also by a holder that died.

        `tries` goes on where the outcome answers no message, like a command's: the messages over which holders died still wait.
        """
        counts = bool(outcome.audit.usage) or outcome.kind is OutcomeKind.DEFERRED or self.tries > 0
        spending = self.spending.settled(counts=counts)
        if outcome.audit.is_over_limit:
            spending = replace(spending, was_told=True)
        if outcome.translations is not None:
            tells_limit = outcome.translations.tells_limit
            spending = spending.with_translation(outcome.audit.usage, tells_limit=tells_limit)
        return replace(
            self,
            state="committed",
            tries=0 if outcome.answered_ids else self.tries,
            outcome=outcome,
            route=route,
            sequence=outcome.sequence,
            spending=spending,
            may_have_reminders=self.may_have_reminders or _writes_reminders(outcome),
        )

    def with_fate(self, outcome: OutcomeRecord, route: Route) -> "TurnRecord":
        """Return the turn with what became of the committed outcome, or with the outcome in fewer words, or on another route.

        For example, the notice of a spent budget is committed as `apologised`, and LINE refuses its token: with the outcome as
        `undelivered`, nobody counts as told.
        """
        spending = self.spending if self.outcome is None or outcome.kind not in _UNSEEN else _untold(self)
        return replace(self, outcome=outcome, route=route, spending=spending)

    def abandoned(self) -> "TurnRecord":
        """Return the turn as idle; a committed outcome, which was not sent, is dropped, and `tries` goes on."""
        return TurnRecord(
            unknown_fields=self.unknown_fields,
            tries=self.tries,
            epoch=self.epoch,
            sequence=self.sequence,
            covered=self.covered,
            spending=_untold(self).settled(counts=False),
            left=self.left,
            said=self.said,
            locale=self.locale,
            may_have_reminders=self.may_have_reminders,
        )

    def amended(self, *, is_affected: Callable[[OutcomeRecord], bool]) -> "TurnRecord":
        """Return the turn after an amendment: thinking with the next epoch, or committed without words; unchanged if not affected.

        For example, a thinking turn at epoch 4 continues at epoch 5.
        """
        clean = replace(self, unknown_fields=self.wordless_fields)
        if self.state == "thinking":
            return replace(clean, epoch=self.epoch + 1)
        outcome = self.outcome
        if outcome is not None and outcome.holds_words and is_affected(outcome):
            return replace(clean, outcome=outcome.without_words(OutcomeKind.WITHDRAWN))
        return clean


def _untold(turn: TurnRecord) -> Spending:
    """Return the spending where the committed outcome certainly did not arrive: the next turn tells what it was to tell of a budget."""
    spending, outcome = turn.spending, turn.outcome
    if outcome is None or outcome.kind is OutcomeKind.SKIPPED:
        return spending
    tells_of_translations = outcome.translations is not None and outcome.translations.tells_limit
    return replace(
        spending,
        was_told=spending.was_told and not outcome.audit.is_over_limit,
        was_told_of_translations=spending.was_told_of_translations and not tells_of_translations,
    )


def _writes_reminders(outcome: OutcomeRecord) -> bool:
    return any(write.path.startswith(_REMINDERS) and write.text is not None for write in outcome.writes)


StoredTurn: TypeAlias = Versioned[TurnRecord]


@frozen
class Turn:
    """One chat's turn.  Every method raises StorageUnavailableError when the bucket does not answer in time."""

    names: ObjectNames
    store: ObjectStore
    clock: Clock = field(repr=False)
    new_id: Callable[[], str] = field(repr=False)
    ledger: Ledger = field(repr=False)
    lease_s: float = 25.0

    def writable_in_s(self, record: TurnRecord) -> float:
        """Return in how many seconds the bucket takes another write of the turn, by the clock of the last writer; at most one.

        Source: Cloud Storage, "Quotas", one write a second to an object: an earlier one meets 429, and is retried after a random pause.
        """
        age_ms = self.clock.now_ms() - (record.expires_ms - round(self.lease_s * 1_000))
        return (_WRITE_GAP_MS - age_ms) / 1_000 if 0 <= age_ms < _WRITE_GAP_MS else 0.0

    def read(self) -> StoredTurn:
        """Return the turn; idle where none was stored."""
        stored = self.store.read(self.names.turn)
        turn = Versioned(record=TurnRecord(), generation=0)
        if stored is not None:
            turn = Versioned(record=decode(TurnRecord, stored.data), generation=stored.generation)
        self.ledger.remember(self.names.conversation_id, turn.record.spending, generation=turn.generation)
        return turn

    def amend(self, *, is_affected: Callable[[OutcomeRecord], bool]) -> None:
        """Nothing is committed from words older than an amendment, which the caller has written.

        A thinking holder loses the next swap and looks at the amendments; an epoch raised by another caller has the same effect. An idle
        turn is left alone: a later holder looks before asking the model or sending anything.
        """
        turn = self.read()
        for _ in range(SWAP_ATTEMPTS):
            amended = turn.record.amended(is_affected=is_affected)
            if amended == turn.record or self.swap(turn, amended) is not None:
                return
            epoch, turn = turn.record.epoch, self.read()
            if turn.record.state == "thinking" and turn.record.epoch != epoch:
                return
        raise StorageUnavailableError("others kept changing the turn")

    def spending(self, record: TurnRecord) -> Spending:
        """Return the chat's spending today, as stored in the turn."""
        return record.spending.on(self.ledger.day(self.clock.now_ms()))

    def leave(self) -> None:
        """Let the next turn look for words postponed to an answer; the caller has stored them.

        A holder that loses a swap to this write goes on. Repeated: one more look. Raises: StorageUnavailableError.
        """
        for _ in range(SWAP_ATTEMPTS):
            turn = self.read()
            if self.swap(turn, replace(turn.record, left=turn.record.left + 1)) is not None:
                return
        raise StorageUnavailableError("others kept changing the turn")

    def raise_epoch(self, *, unless_committed_to: str) -> OutcomeRecord | None:
        """Have a thinking holder look before it commits, and a worker that is about to open the turn read the chat again.

        The caller has recorded an outcome of this id. If the turn is committed to the same id, return its outcome, and raise nothing.
        A holder that loses a swap to this write goes on. Raises: StorageUnavailableError.
        """
        for _ in range(SWAP_ATTEMPTS):
            turn = self.read()
            outcome = turn.record.outcome
            if outcome is not None and outcome.webhook_event_id == unless_committed_to:
                return outcome
            if self.swap(turn, replace(turn.record, epoch=turn.record.epoch + 1)) is not None:
                return None
        raise StorageUnavailableError("others kept changing the turn")

    def chosen_locale(self) -> str | None:
        """Return the language that a member chose for the chat; None: no member has."""
        return self.read().record.chosen_locale

    def choose_locale(self, locale: str) -> None:
        """The chat's fixed texts are in this locale of LOCALES where no words of people or of the model show a language.

        A holder that loses a swap to this write goes on. Repeated: nothing is written. Raises: StorageUnavailableError.
        """
        for _ in range(SWAP_ATTEMPTS):
            turn = self.read()
            if turn.record.locale == locale or self.swap(turn, replace(turn.record, locale=locale)) is not None:
                return
        raise StorageUnavailableError("others kept changing the turn")

    def settle(self, known: StoredTurn | None = None) -> None:
        """The instance's charges to the chat are in the turn; nothing is written if another write has carried them.

        Only the spending changes, so a holder that loses a swap to this write goes on. `known`: the turn as this instance wrote it last, so
        that it is read only if another worker has written since. Raises: StorageUnavailableError.
        """
        chat = self.names.conversation_id
        for _ in range(SWAP_ATTEMPTS):
            if not self.ledger.owes(chat):
                return
            turn, known = known or self.read(), None
            today = replace(turn.record, spending=self.spending(turn.record))
            if self.swap(turn, today, charged=self.ledger.take(chat)) is not None:
                return

    def swap(self, expected: StoredTurn, record: TurnRecord, *, charged: int = 0) -> StoredTurn | None:
        """Return the turn as written over `expected`, or None where another worker wrote first.

        If the write won, the tokens `charged` are in the turn, even where another worker replaced the turn before this worker learned of
        the success. If the write lost, the tokens are back in the ledger. If nobody knows, they are in doubt there (`Ledger.doubt`).
        Raises: StorageUnavailableError.
        """
        writer = self.new_id()
        written = replace(record, writer=writer, spending=record.spending.plus(charged, by=writer))
        chat = self.names.conversation_id
        try:
            generation = self.store.replace(self.names.turn, encode(written), generation=expected.generation)
            if generation is not None:
                self.ledger.remember(chat, written.spending, generation=generation)
                return Versioned(record=written, generation=generation)
            current = self.read()
            if current.record.writer == writer:
                return current
            if not current.record.spending.has_charge_of(writer):
                self.ledger.put_back(chat, charged)
        except StorageUnavailableError:
            self.ledger.doubt(chat, charged, writer=writer, generation=expected.generation)
            raise
        else:
            return None
        finally:
            self.ledger.end_writing(chat, charged)
