"""Checks every write of the turn: which request holds it, whether its lease still runs, and what was committed."""

import math
from dataclasses import dataclass
from typing import Final

from shared.access.budgets import Limits
from shared.conversation.amendment_events import AmendmentEvent, AmendmentKind
from shared.conversation.pushes import PushesRecord
from shared.conversation.records import MessageRecord, OutcomeKind, OutcomeRecord, SaidReminder
from shared.conversation.redaction.plan import Derived
from shared.conversation.segments import decode_segment
from shared.conversation.snapshot_records import Segment, SnapshotRecord
from shared.conversation.turn import TurnRecord
from shared.line.phrases import Phrase
from shared.reminders.delivery import retry_key
from shared.reminders.reminder import Reminder
from shared.reminders.wording import Occurrence
from shared.storage.codec import decode
from shared.storage.object_names import OUTCOME_SUFFIX
from shared.turns.last_look import COUNTS_S
from tests.simulation.fixed_texts import in_every_language
from tests.simulation.mind import Mood
from tests.simulation.people import ids_repeated_in, without_spaces
from tests.simulation.scheduler import Task
from tests.simulation.world import TICK, WORD, World

_WHOLE: Final = 480
"""Characters of an answer from which on words may have been cut off."""
_PARTLY_REFUSED: Final = in_every_language(Phrase.PARTLY_REFUSED)


@dataclass(frozen=True, slots=True)
class _Hold:
    request: str
    task: Task
    until_s: float


class Holders:
    """The holders of the chats' turns, including dead ones."""

    def __init__(self, world: World, mood: Mood, *, fence_s: float, budget: Limits) -> None:
        self._budget = budget
        self._world = world
        self._mood = mood
        self._fence_s = fence_s
        self._known: dict[str, _Hold] = {}
        self._recorded: set[str] = set()
        self._is_too_late: dict[str, bool] = {}
        self._charged: dict[str, int] = {}
        self._plans: dict[tuple[str, str], dict[str, float]] = {}
        self._withdrawn_s: dict[str, float] = {}
        self._together: dict[tuple[str, str], set[str]] = {}
        self._nowhere: set[tuple[str, str]] = set()
        self._recorded_s: dict[tuple[str, str], float] = {}
        self._begun_s: dict[tuple[str, str], float] = {}
        self._quoted_ids: dict[str, str | None] = {}

    def note_record(self, name: str, data: bytes) -> None:
        """An outcome was recorded under this name, or lost its words there."""
        outcome = decode(OutcomeRecord, data)
        self._recorded.add(name)
        truth, chat = self._world.truth, name.split("/")[1]
        recorded = truth.recorded.setdefault(chat, {})
        if outcome.webhook_event_id not in recorded:
            self._recorded_s[chat, outcome.webhook_event_id] = self._world.now_s
            if any((chat, one) in truth.planned for one in outcome.provenance.derived_ids):
                truth.overtaken.add((chat, outcome.webhook_event_id))
        if outcome.text:
            truth.worded.setdefault((chat, outcome.webhook_event_id), outcome)
        recorded[outcome.webhook_event_id] = outcome
        self._note_parts(chat, outcome)

    def note_recaps(self, name: str, data: bytes) -> None:
        """A snapshot was written under this name."""
        chat = name.removesuffix(".json").split("/")[1]
        for recap in decode(SnapshotRecord, data).all_recaps:
            if recap.words:
                self._world.truth.recapped.setdefault((chat, recap.id), recap)

    def note_lost_answer(self, conversation_id: str, record: TurnRecord) -> None:
        """A write of the turn won, and its writer was told that it lost or failed; if another writes before it looks, it charges again."""
        self._world.truth.unsure_tokens[conversation_id] += self._charged.get(record.writer, 0)

    def _note_parts(self, chat: str, outcome: OutcomeRecord) -> None:
        truth = self._world.truth
        known = truth.recorded.get(chat, {})
        seen = (known[one].text or "" for one in outcome.provenance.derived_ids if one in known)
        truth.note_parts(outcome.text or "", shown_ids=outcome.provenance.ids, seen=seen)

    def note_amendment(self, name: str, data: bytes) -> None:
        """An amendment event was written under this name; a plan may name what no plan had named."""
        truth, chat = self._world.truth, name.split("/")[1]
        event = decode(AmendmentEvent, data)
        if event.kind is AmendmentKind.MEMBER_ERASURE:
            truth.members_forgotten_s.setdefault(chat, self._world.now_s)
        elif event.kind is AmendmentKind.WITHDRAWAL:
            new_ids = {one for one in event.withdrawn_ids if (chat, one) not in truth.withdrawn}
            self._nowhere |= {(chat, one) for one in new_ids - self._message_ids(chat)} if new_ids else set()
            truth.withdrawn.update((chat, one) for one in event.withdrawn_ids)
            self._together.setdefault((chat, event.id), set()).update(event.withdrawn_ids)
            for message_id in event.withdrawn_ids:
                self._withdrawn_s.setdefault(message_id, self._world.now_s)
            self._begun_s.setdefault((chat, event.id), self._world.now_s)
        elif event.kind is AmendmentKind.PLAN:
            self._note_plan(chat, event)

    def note_dropped(self, chat: str, message_ids: set[str]) -> None:
        """Messages may be nowhere from now on; where no request of a withdrawal dropped them, no plan can compare their words."""
        truth = self._world.truth
        withdrawn_ids = {one for one in message_ids if (chat, one) in truth.withdrawn}
        if withdrawn_ids and not self._world.scheduler.current().request.startswith(("unsend", TICK)):
            self._nowhere |= {(chat, one) for one in withdrawn_ids - self._message_ids(chat)}

    def _note_plan(self, chat: str, event: AmendmentEvent) -> None:
        """Note what the plan names and could not compare, because words were gone.

        For example, a message left the memory of a chat without an archive before its author took it back, or a compaction dropped the
        message before the plan. Or the sweep of another withdrawal has compared the message, and then dropped it: the message's own plan
        cannot know. But a withdrawal that drops its own message before its plan is stored has no excuse.
        """
        truth = self._world.truth
        planned_s = self._plans.setdefault((chat, event.id), {})
        lost = self._together.get((chat, event.id), set()) - self._message_ids(chat)
        of_lost = self._naming(chat, lost).intersection(event.redacted_ids) - planned_s.keys()
        of_nowhere = self._naming(chat, {one for one in lost if (chat, one) in self._nowhere})
        of_others = {one for one in of_lost if (chat, one) in truth.planned}
        truth.uncompared.update((chat, one) for one in of_lost & (of_nowhere | of_others))
        for redacted_id in event.redacted_ids:
            planned_s.setdefault(redacted_id, self._world.now_s)
        begun_s = self._begun_s.setdefault((chat, event.id), self._world.now_s)
        new = [one for one in event.redacted_ids if (chat, one) not in truth.planned]
        if new:
            truth.planned.update((chat, one) for one in new)
            worded = self._ids_with_words(chat)
            truth.uncompared.update((chat, one) for one in new if one not in worded)
        redacted_ids, cleared_ids = set(event.redacted_ids), set(event.cleared_ids)
        for own_id, outcome in truth.recorded.get(
            chat, {}
        ).items():  # the plan may be older than the record, and so knows nothing of it
            is_newer = self._recorded_s[chat, own_id] >= begun_s and own_id not in cleared_ids
            if is_newer and not redacted_ids.isdisjoint(outcome.provenance.derived_ids):
                truth.overtaken.add((chat, own_id))

    def _naming(self, chat: str, message_ids: set[str]) -> set[str]:
        """Return the answers and recaps that name one of the messages."""
        truth = self._world.truth
        sources = {own_id: outcome.provenance.message_ids for own_id, outcome in truth.recorded.get(chat, {}).items()}
        recaps = ((own_id, recap) for (where, own_id), recap in truth.recapped.items() if where == chat)
        sources |= {own_id: recap.provenance.message_ids for own_id, recap in recaps}
        return {own_id for own_id, ids in sources.items() if not message_ids.isdisjoint(ids)}

    def _message_ids(self, chat: str) -> set[str]:
        """Return the messages that journal, snapshot or archive have."""
        journalled = (one.name.removesuffix(".json") for one in self._world.objects.list(f"journal/{chat}/"))
        snapshot = self._snapshot(chat)
        segments = (*self._segments(chat), snapshot.leaving)
        messages = (*snapshot.messages, *(one for segment in segments for one in segment.messages))
        return {name.rpartition("/")[2] for name in journalled} | {one.line_message_id for one in messages}

    def _ids_with_words(self, chat: str) -> set[str]:
        """Return the own ids of the answers and recaps of the chat that have their words anywhere in the bucket."""
        objects, snapshot = self._world.objects, self._snapshot(chat)
        journalled = [one.name for one in objects.list(f"journal/{chat}/") if one.name.endswith(OUTCOME_SUFFIX)]
        outcomes = [decode(OutcomeRecord, stored.data) for name in journalled if (stored := objects.read(name))]
        segments = (*self._segments(chat), snapshot.leaving)
        answers = (one for segment in segments for one in segment.answers)
        recaps = (one for segment in segments for one in segment.recaps)
        known = Derived.of(outcomes, snapshot.outcomes, answers, snapshot.all_recaps, recaps)
        return {one.id for one in known if one.words}

    def _segments(self, chat: str) -> list[Segment]:
        objects = self._world.objects
        archived = [one.name for one in objects.list(f"archive/{chat}/")]
        return [decode_segment(stored.data) for name in archived if (stored := objects.read(name))]

    def _snapshot(self, chat: str) -> SnapshotRecord:
        stored = self._world.objects.read(f"snapshots/{chat}.json")
        return decode(SnapshotRecord, stored.data) if stored is not None else SnapshotRecord()

    def note_message(self, name: str, data: bytes) -> None:
        """A message was recorded under this name."""
        chat, message_id = name.removesuffix(".json").split("/")[1:]
        self._world.truth.journalled_s.setdefault((chat, message_id), self._world.now_s)
        message = decode(MessageRecord, data)
        self._quoted_ids[message_id] = message.quoted_message_id
        if not message.addressed:
            self._world.truth.context.add((chat, message_id))

    def note_reminder(self, name: str, before: bytes | None, data: bytes) -> None:
        """A reminder, or the count of a chat's pushes, was written under this name."""
        if name.endswith("/pushes.json"):
            self._note_pushes(before, data)
            return
        truth, (chat, reminder_id) = self._world.truth, name.removesuffix(".json").split("/")[1:]
        reminder = decode(Reminder, data)
        truth.reminders[chat, reminder_id] = reminder
        truth.reminders_made_s.setdefault((chat, reminder_id), self._world.now_s)
        if reminder.claim is not None:
            due_ms = reminder.claim.occurrence_ms
            key = retry_key(chat, Occurrence(reminder=reminder, due_ms=due_ms, said_ms=due_ms))
            if key not in truth.occurrences and any(self._is_withdrawn(one) for one in reminder.provenance.message_ids):
                truth.late_claims.add(key)
            truth.occurrences[key] = SaidReminder(id=reminder_id, occurrence_ms=due_ms)

    def _note_pushes(self, before: bytes | None, after: bytes) -> None:
        """The count of a chat's pushes was written: each push counts once, and no day comes again."""
        counted = decode(PushesRecord, after)
        if len({*counted.ids, *counted.ids_before}) < len(counted.ids) + len(counted.ids_before):
            self._world.truth.report("I9: a push was counted twice")
        if before is not None and counted.day < decode(PushesRecord, before).day:
            self._world.truth.report("I9: the day of a chat's pushes went back")

    def watch(self, conversation_id: str, before: TurnRecord, after: TurnRecord, *, begun_s: float) -> None:
        """Check a write of the turn that took effect; its writer sent it at `begun_s`."""
        task, truth = self._world.scheduler.current(), self._world.truth
        truth.turns_written_s.setdefault(conversation_id, []).append((self._world.now_s, after.state == "thinking"))
        self._check_spending(conversation_id, before, after)
        self._check_unfinished(conversation_id, before, after)
        if after.state == "idle":
            return
        if after.state == "thinking" and (before.state != "thinking" or after.holder != before.holder):
            key = task.request, conversation_id
            truth.read_s[key] = truth.journal_listed_s.get(key, 0.0)
        if before.state == "thinking" and after.holder != before.holder and self._is_alive(before.holder):
            truth.report("I3: the turn of a live holder was taken")
        if after.state == "committed" and after.outcome is not None:
            self._watch_commit(conversation_id, before, after, after.outcome)
        if after.expires_ms != before.expires_ms:  # a cancellation by an unsend does not renew the lease
            self._known[after.holder] = _Hold(task.request, task, begun_s + self._fence_s)

    def _check_spending(self, conversation_id: str, before: TurnRecord, after: TurnRecord) -> None:
        """No turn begins that the budget does not allow, and nothing is charged that was not spent."""
        was, spent, truth = before.spending, after.spending, self._world.truth
        self._charged[after.writer] = max(0, spent.tokens - was.tokens)
        limits, is_same_day = self._budget, was.day == spent.day
        if spent.day < was.day:
            truth.report("I9: the day of what a chat has spent went back")
        if limits.turns_per_chat_day and spent.turns > limits.turns_per_chat_day:
            truth.report("I9: more turns asked the model than the budget allows")
        is_new = spent.is_reserved and not was.is_reserved
        if is_new and is_same_day and 0 < limits.tokens_per_chat_day <= was.tokens:
            truth.report("I9: a turn began although the tokens of its chat were spent")
        if spent.tokens > truth.tokens[conversation_id] + truth.unsure_tokens[conversation_id]:
            truth.report("I9: a chat was charged more than was spent")
        if is_same_day and spent.tokens < was.tokens:
            truth.report("I9: what was charged to a chat was lost")

    def _watch_commit(
        self, conversation_id: str, before: TurnRecord, after: TurnRecord, outcome: OutcomeRecord
    ) -> None:
        truth, was_thinking = self._world.truth, before.state == "thinking"
        if was_thinking and after.holder != before.holder:
            truth.report("I3: an outcome was committed by somebody who did not hold the turn")
        if before.state == "idle":
            truth.report("I3: an outcome was committed to an idle turn")
        if was_thinking and outcome.kind is OutcomeKind.REPLIED:
            self._check_edits(outcome)
        if was_thinking and outcome.writes:
            truth.staged.append((conversation_id, outcome))
        text = outcome.text or " ".join(outcome.translated_texts) or None
        if text is not None and after.route.kind != "none":
            token = after.route.reply_token
            route = token.value if token is not None else conversation_id
            said = route, without_spaces(text)
            truth.committed[said] = outcome
            if was_thinking:
                self._note_parts(conversation_id, outcome)
                self._is_too_late[conversation_id] = self._is_taken_back(outcome, text)
            truth.too_late[said] = self._is_too_late.get(conversation_id, False)  # also where it changes its route

    def _check_unfinished(self, conversation_id: str, before: TurnRecord, after: TurnRecord) -> None:
        """A committed outcome is recorded before another one begins, unless its holder gave it up before LINE was asked."""
        was = before.outcome if before.state == "committed" else None
        is_same = after.state == "committed" and after.outcome is not None and was is not None
        if was is None or (is_same and after.outcome is not None and after.outcome.sequence == was.sequence):
            return
        if f"journal/{conversation_id}/{was.webhook_event_id}{OUTCOME_SUFFIX}" in self._recorded:
            return
        if after.state == "idle":
            self._world.truth.voided.add((conversation_id, was.webhook_event_id, was.sequence))
        else:
            self._world.truth.report("I3: a turn was opened over an outcome that was not recorded")

    def _check_edits(self, outcome: OutcomeRecord) -> None:
        """The answer repeats the newest text of every message that it covers, as far as this model repeats what it reads."""
        truth = self._world.truth
        if outcome.translations is not None:
            texts = {bubble.line_message_id: bubble.text for bubble in outcome.translations.bubbles}
            what = "a translation"
        elif self._mood.manner != "repeats" or len(outcome.text or "") > _WHOLE:
            return
        else:
            texts = dict.fromkeys(outcome.answered_ids, outcome.text or "")
            what = "an interjection" if self._world.overheard.issuperset(outcome.answered_ids) else "an answer"
        edited = ((one, text) for one, text in texts.items() if one in truth.newest)
        outdated = ((one, text) for one, text in edited if not any(word in text for word in truth.newest[one]))
        if not all(self._is_left_out(one, text) for one, text in outdated):
            truth.report(f"I4: {what} was committed to the text from before an edit that had been handled")

    def _is_left_out(self, message_id: str, text: str) -> bool:
        """Whether the answer says that it leaves something out, and has no word of this message, because the message quotes a blocked one.

        Example: m1 quotes m0, whose word is blocked. "re7: word2a … something else that I can't answer" leaves out m0 and m1. If an edit
        of m0 into other words was handled, nothing is blocked any more, and m1 has to be answered.
        """
        blocked_ids = {f"m{word[4:-1]}" for word in self._mood.blocked - self._world.truth.outdated_s.keys()}
        is_blocked = self._quoted_ids.get(message_id) in blocked_ids
        is_told = any(told in text for told in _PARTLY_REFUSED)
        return is_blocked and is_told and message_id not in {f"m{word[4:-1]}" for word in WORD.findall(text)}

    def _is_taken_back(self, outcome: OutcomeRecord, text: str) -> bool:
        """Whether an outcome must not be said: a message that it covers or was shown is withdrawn, or one that it repeats from an answer.

        What goes with a withdrawn message besides is only known once the withdrawal has stored that it takes it. What was
        stored within COUNTS_S before the commit may have come after the look that was begun along with the commit.
        """
        looked_s = self._world.now_s - COUNTS_S
        thought = self._world.truth.thoughts.get(text.partition(" ")[0])
        direct = {*outcome.answered_ids, *(thought.shown & ids_repeated_in(text) if thought is not None else ())}
        words = {word for word in WORD.findall(text) if not self._world.truth.may_outlive(word)}
        repeated = {f"m{word[4:-1]}" for word in words}
        if any(self._withdrawn_s.get(one, math.inf) < looked_s for one in direct):
            return True
        plans = (
            planned_s for (_, own_id), planned_s in self._plans.items() if own_id in repeated & self._withdrawn_s.keys()
        )
        redacted = {one for planned_s in plans for one, at_s in planned_s.items() if at_s < looked_s}
        return not redacted.isdisjoint(outcome.provenance.derived_ids)

    def _is_withdrawn(self, line_message_id: str) -> bool:
        return any(message_id == line_message_id for _, message_id in self._world.truth.withdrawn)

    def _is_alive(self, holder: str) -> bool:
        hold = self._known.get(holder)
        return (
            hold is not None
            and self._world.clocks_hold
            and not hold.task.process.is_dead
            and self._world.now_s < hold.until_s
            and hold.request in self._world.requests
        )
