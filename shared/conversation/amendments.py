"""Amendments: what became of messages after they were sent, as of one look."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from operator import or_
from typing import TypeVar

from shared.conversation.amendment_events import AmendmentEvent, AmendmentKind
from shared.conversation.member_mark import mark_id
from shared.conversation.records import EditedWords, MessageRecord, OutcomeRecord

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Which answers and recaps lose their words with one withdrawal or erasure, and which were compared and keep theirs."""

    redacted_ids: frozenset[str] = frozenset()
    cleared_ids: frozenset[str] = frozenset()

    @classmethod
    def of(cls, event: AmendmentEvent) -> "Plan":
        """Return the part of a plan that an event holds."""
        return cls(redacted_ids=frozenset(event.redacted_ids), cleared_ids=frozenset(event.cleared_ids))

    def __or__(self, other: "Plan") -> "Plan":
        """Return the plan of one round, whose workers may have stored parts of it."""
        redacted_ids = self.redacted_ids | other.redacted_ids
        return Plan(redacted_ids=redacted_ids, cleared_ids=(self.cleared_ids | other.cleared_ids) - redacted_ids)

    def __le__(self, other: "Plan") -> bool:
        """Whether the other plan names all that this one names."""
        return self.redacted_ids <= other.redacted_ids and self.cleared_ids <= other.cleared_ids | other.redacted_ids


@dataclass(frozen=True, slots=True, kw_only=True)
class Amendments:
    """What is withdrawn, edited and erased, as of one look.

    `redacted`: the answers and recaps that lost their words, each with those that every plan which names it has cleared. `edits`: the
    newest words of edited messages, where they were read (`AmendmentLog.with_words_of`); `edited_ms`: LINE's timestamp of each edit, and
    `editors` the marks of those who edited. `members`: up to when each member took back everything, by the members' marks. Filed entries
    are erased up to `erased_entries_ms` only. `together`: the messages that were withdrawn at once, by the id of their withdrawal;
    `plans`: by the ids of their rounds.
    """

    withdrawn: frozenset[str] = frozenset()
    redacted: Mapping[str, frozenset[str]] = field(default_factory=dict)
    edits: Mapping[str, str] = field(default_factory=dict, repr=False)
    edited_ms: Mapping[str, int] = field(default_factory=dict)
    members: Mapping[str, int] = field(default_factory=dict)
    erased_ms: int = -1
    erased_entries_ms: int = -1
    editors: Mapping[str, str] = field(default_factory=dict, compare=False)
    together: Mapping[str, frozenset[str]] = field(default_factory=dict, compare=False)
    plans: Mapping[str, Plan] = field(default_factory=dict, compare=False)

    def with_events(self, events: Iterable[AmendmentEvent]) -> "Amendments":
        """Return the amendments with these events, in whatever order they come."""
        of_kind: dict[AmendmentKind, list[AmendmentEvent]] = {kind: [] for kind in AmendmentKind}
        for event in events:
            of_kind[event.kind].append(event)
        edits, withdrawals, plans, erasures, resets, member_erasures = of_kind.values()
        united = _merged(self.plans, ((event.id, Plan.of(event)) for event in plans), or_)
        return replace(
            self,
            withdrawn=self.withdrawn.union(*(event.withdrawn_ids for event in withdrawals)),
            together=_merged(self.together, ((event.id, frozenset(event.withdrawn_ids)) for event in withdrawals), or_),
            edited_ms=_merged(self.edited_ms, ((event.id, event.timestamp_ms) for event in edits), max),
            editors={**self.editors, **{event.id: event.by for event in edits if event.by is not None}},
            members=_merged(self.members, ((event.id, event.timestamp_ms) for event in member_erasures), max),
            plans=united,
            redacted=_redacted(united.values()) if plans else self.redacted,
            erased_ms=max((self.erased_ms, *(event.timestamp_ms for event in (*erasures, *resets)))),
            erased_entries_ms=max((self.erased_entries_ms, *(event.timestamp_ms for event in erasures))),
        ).without_dead_edits()

    def with_words(self, words: Mapping[str, EditedWords | None]) -> "Amendments":
        """Return the amendments with the newest words of edited messages; a message whose words are gone counts as withdrawn."""
        edits, edited_ms, withdrawn = dict(self.edits), dict(self.edited_ms), set(self.withdrawn)
        for edited_id, edited in words.items():
            if edited is None or edited.text is None:
                withdrawn.add(edited_id)
            elif edited.timestamp_ms >= edited_ms.get(edited_id, 0):
                edits[edited_id], edited_ms[edited_id] = edited.text, edited.timestamp_ms
        return replace(self, edits=edits, edited_ms=edited_ms, withdrawn=frozenset(withdrawn)).without_dead_edits()

    def without_dead_edits(self) -> "Amendments":
        """Return the amendments without the edits of what was withdrawn or erased."""
        dead = {one for one, at_ms in self.edited_ms.items() if one in self.withdrawn or at_ms <= self.erased_ms}
        if not dead:
            return self
        return replace(
            self,
            edits={one: text for one, text in self.edits.items() if one not in dead},
            edited_ms={one: at_ms for one, at_ms in self.edited_ms.items() if one not in dead},
        )

    def unread_edits_of(self, messages: Iterable[MessageRecord]) -> frozenset[str]:
        """Return the ids of those messages whose words are older than their edits, the words of which were not read."""
        return frozenset(
            message.line_message_id
            for message in messages
            if self.edited_ms.get(message.line_message_id, 0) > message.edited_ms
            and message.line_message_id not in self.edits
        )

    def adds_to(self, before: "Amendments") -> bool:
        """Whether this look found anything that the look `before` did not, which may have read more of the older amendments."""
        return self is not before and not (  # a look that finds nothing returns what was known
            self.withdrawn <= before.withdrawn
            and self.redacted.items() <= before.redacted.items()
            and self.edits.items() <= before.edits.items()
            and self.edited_ms.items() <= before.edited_ms.items()
            and self.members.items() <= before.members.items()
            and self.erased_ms <= before.erased_ms
            and self.erased_entries_ms <= before.erased_entries_ms
        )

    def is_withdrawn(self, message: MessageRecord) -> bool:
        """Whether the message was withdrawn or erased."""
        return message.line_message_id in self.withdrawn or message.timestamp_ms <= self.erased_ms

    def is_forgotten(self, message: MessageRecord) -> bool:
        """Whether its author took back everything up to it.  If the message was not known then, its own delivery withdraws it."""
        return message.timestamp_ms <= self.members.get(mark_id(message.user_id), -1)

    def hides(self, message: MessageRecord) -> bool:
        """Whether no reader may be shown the message."""
        return self.is_withdrawn(message) or self.is_forgotten(message)

    def is_withdrawn_from_entries(self, line_message_id: str, words_ms: int) -> bool:
        """Whether no entry may hold what the message said at this moment: it was withdrawn, erased, or replaced by an edit."""
        is_replaced = words_ms < self.edited_ms.get(line_message_id, words_ms)
        return is_replaced or line_message_id in self.withdrawn or words_ms <= self.erased_entries_ms

    def redact(self, outcome: OutcomeRecord) -> OutcomeRecord:
        """Return the outcome, without its words where they have to go."""
        must_redact = outcome.holds_words and outcome.provenance.is_redacted_by(self, outcome.webhook_event_id)
        return outcome.without_words() if must_redact else outcome

    def overlay(self, message: MessageRecord) -> MessageRecord:
        """Return the message with its newest text, which may be its own: another worker may have found a newer edit than this look."""
        edited = self.edits.get(message.line_message_id)
        edited_ms = self.edited_ms.get(message.line_message_id, 0)
        if edited is None or edited_ms < message.edited_ms:
            return message
        return message.redacted(text=edited, edited_ms=edited_ms)


def _merged(
    before: Mapping[str, _Value], added: Iterable[tuple[str, _Value]], merge: Callable[[_Value, _Value], _Value]
) -> dict[str, _Value]:
    """Return what was known and what was found; what is known twice is merged."""
    merged = dict(before)
    for own_id, value in added:
        merged[own_id] = merge(merged[own_id], value) if own_id in merged else value
    return merged


def _redacted(plans: Iterable[Plan]) -> dict[str, frozenset[str]]:
    """Return what any plan redacts, each with those that every plan which redacts it has cleared."""
    redacted: dict[str, frozenset[str]] = {}
    for plan in plans:
        redacted |= {own_id: redacted.get(own_id, plan.cleared_ids) & plan.cleared_ids for own_id in plan.redacted_ids}
    return redacted
