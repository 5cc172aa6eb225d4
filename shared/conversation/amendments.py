"""Amendments: what became of messages after they were sent, as of one look."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from operator import or_
from typing import TypeVar

from shared.conversation.amendment_events import AmendmentEvent, AmendmentKind
from shared.conversation.amendment_records import EditedWords
from shared.conversation.member_mark import mark_id
from shared.conversation.records import MessageRecord, OutcomeRecord
from shared.frozen import frozen

_Value = TypeVar("_Value")


@frozen
class Plan:
    """The answers and recaps redacted by a withdrawal or erasure, and the ones cleared by a comparison."""

    redacted_ids: frozenset[str] = frozenset()
    cleared_ids: frozenset[str] = frozenset()

    @classmethod
    def of(cls, event: AmendmentEvent) -> "Plan":
        """Return the part of a plan held by an event."""
        return cls(redacted_ids=frozenset(event.redacted_ids), cleared_ids=frozenset(event.cleared_ids))

    def __or__(self, other: "Plan") -> "Plan":
        """Return the plan of one round, from parts stored by several workers.  A redacted id is never cleared.

        For example, `Plan(cleared_ids={"e1"}) | Plan(redacted_ids={"e1"})` redacts e1.
        """
        redacted_ids = self.redacted_ids | other.redacted_ids
        return Plan(redacted_ids=redacted_ids, cleared_ids=(self.cleared_ids | other.cleared_ids) - redacted_ids)

    def __le__(self, other: "Plan") -> bool:
        """Whether the other plan names everything in this plan."""
        return self.redacted_ids <= other.redacted_ids and self.cleared_ids <= other.cleared_ids | other.redacted_ids


@frozen
class Amendments:
    """The withdrawn, edited and erased messages, as of one look.

    `redacted`: the answers and recaps to lose their words; for each, the ids cleared by every plan that redacts it. `edits`: the newest
    words of edited messages, where read (`AmendmentLog.with_words_of`); `edited_ms`: LINE's timestamp of each edit; `editors`: the editors'
    marks. `members`: up to when each member took back everything, by the members' marks. Filed entries are erased up to `erased_entries_ms`
    only. `together`: the messages withdrawn at once, by the id of their withdrawal; `plans`: by the ids of their rounds.
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
        """Return the amendments with the events, in whatever order they come."""
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
        """Return the amendments with the newest words of edited messages; an edited message without words counts as withdrawn.

        Not so an erased edit: a reset takes the words of the edit, and spares entries with these words.
        """
        edits, edited_ms, withdrawn = dict(self.edits), dict(self.edited_ms), set(self.withdrawn)
        erased_edits = self.erased_edits
        for edited_id, edited in words.items():
            if edited is None or edited.text is None:
                withdrawn |= {edited_id} - erased_edits
            elif edited.timestamp_ms >= edited_ms.get(edited_id, 0):
                edits[edited_id], edited_ms[edited_id] = edited.text, edited.timestamp_ms
        return replace(self, edits=edits, edited_ms=edited_ms, withdrawn=frozenset(withdrawn)).without_dead_edits()

    def lacks_event_behind(self, words: Mapping[str, EditedWords | None]) -> bool:
        """Whether an edited message without words is neither withdrawn nor erased here: the event was written after the listing."""
        wordless = {edited_id for edited_id, edited in words.items() if edited is None or edited.text is None}
        return bool(wordless & self.edited_ms.keys() - self.erased_edits)

    @property
    def erased_edits(self) -> frozenset[str]:
        """The messages with an erased newest edit: a reset spared the entries."""
        return frozenset(one for one, at_ms in self.edited_ms.items() if at_ms <= self.erased_ms)

    def without_dead_edits(self) -> "Amendments":
        """Return the amendments without edits of withdrawn or erased messages.

        Of an edit from before a reset the time stays: entries, spared by a reset, may hold the message's older words.
        """
        dead = {
            one for one, at_ms in self.edited_ms.items() if one in self.withdrawn or at_ms <= self.erased_entries_ms
        }
        wordless = (dead | self.erased_edits) & self.edits.keys()
        if not dead and not wordless:
            return self
        return replace(
            self,
            edits={one: text for one, text in self.edits.items() if one not in wordless},
            edited_ms={one: at_ms for one, at_ms in self.edited_ms.items() if one not in dead},
        )

    def unread_edits_of(self, messages: Iterable[MessageRecord]) -> frozenset[str]:
        """Return the messages with words older than their edits, where the words of the edits were not read."""
        return frozenset(
            message.line_message_id
            for message in messages
            if self.edited_ms.get(message.line_message_id, 0) > max(message.edited_ms, self.erased_ms)
            and message.line_message_id not in self.edits
        )

    def adds_to(self, before: "Amendments") -> bool:
        """Whether this look shows anything new since the look `before`, which may have read more of the older amendments."""
        return self is not before and not (  # a look that finds nothing returns the same object
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
        """Whether the author took back everything up to the message.  A message unknown at that time is withdrawn by its own delivery.

        For example, after `/forget me` at 12:00 a message sent at 11:59 and delivered at 12:01 is forgotten.
        """
        return message.timestamp_ms <= self.members.get(mark_id(message.user_id), -1)

    def hides(self, message: MessageRecord) -> bool:
        """Whether no reader may be shown the message."""
        return self.is_withdrawn(message) or self.is_forgotten(message)

    def is_withdrawn_from_entries(self, line_message_id: str, words_ms: int) -> bool:
        """Whether no entry may hold the message's words of `words_ms`: withdrawn, erased, or replaced by an edit.

        For example, words from 1,000 ms after an edit at 2,000 ms.
        """
        is_replaced = words_ms < self.edited_ms.get(line_message_id, words_ms)
        return is_replaced or line_message_id in self.withdrawn or words_ms <= self.erased_entries_ms

    def redact(self, outcome: OutcomeRecord) -> OutcomeRecord:
        """Return the outcome, without words where they have to go."""
        must_redact = outcome.holds_words and outcome.provenance.is_redacted_by(self, outcome.webhook_event_id)
        return outcome.without_words() if must_redact else outcome

    def overlay(self, message: MessageRecord) -> MessageRecord:
        """Return the message with the newest text, possibly its own: another worker may have applied an edit newer than the look."""
        edited = self.edits.get(message.line_message_id)
        edited_ms = self.edited_ms.get(message.line_message_id, 0)
        if edited is None or edited_ms < message.edited_ms:
            return message
        return message.redacted(text=edited, edited_ms=edited_ms)


def _merged(
    before: Mapping[str, _Value], added: Iterable[tuple[str, _Value]], merge: Callable[[_Value, _Value], _Value]
) -> dict[str, _Value]:
    """Return the values of both, by id; two values of one id are merged."""
    merged = dict(before)
    for own_id, value in added:
        merged[own_id] = merge(merged[own_id], value) if own_id in merged else value
    return merged


def _redacted(plans: Iterable[Plan]) -> dict[str, frozenset[str]]:
    """Return the ids redacted by any plan, each with the ids cleared by every plan that redacts it.

    For example, plan A redacts e1 and clears e2, e3; plan B redacts e1 and clears e3: `{"e1": {"e3"}}`.
    """
    redacted: dict[str, frozenset[str]] = {}
    for plan in plans:
        redacted |= {own_id: redacted.get(own_id, plan.cleared_ids) & plan.cleared_ids for own_id in plan.redacted_ids}
    return redacted
