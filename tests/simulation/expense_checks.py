"""What became of a chat's expenses in the end: each as it was staged last, none twice, none lost, and no amount lost to rounding."""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from shared.conversation.records import OutcomeRecord, StagedWrite
from shared.conversation.write_key import format_key
from shared.expenses.expense import FOLDER, Expense, ExpenseRecord, Settlement
from shared.expenses.store import entry_in
from shared.line.postback_data import SettlePress
from tests.simulation.people import SETTLE, People
from tests.simulation.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpenseStory:
    """One chat, and what was staged in it.  `is_lost`: whether a delivery about a message became a dead letter in an outage."""

    people: People
    world: World
    is_lost: Callable[[str], bool]

    @property
    def stored(self) -> Mapping[str, ExpenseRecord]:
        """The expenses and settlements in the bucket that were not removed, by id."""
        prefix = f"{FOLDER}/{self.people.conversation_id}/"
        bodies = ((one.name, self.world.objects.read(one.name)) for one in self.world.objects.list(prefix))
        entries = (entry_in(name.rpartition("/")[2], body.data) for name, body in bodies if body is not None)
        return {entry.id: entry for entry in entries if not entry.is_removed}

    @property
    def staged(self) -> Mapping[str, ExpenseRecord]:
        """What the outcomes leave that were carried out, by id, in the order of their commits."""
        left: dict[str, ExpenseRecord] = {}
        for write in self.writes():
            own_id = write.path.removeprefix(f"{FOLDER}/").removesuffix(".json")
            left.pop(own_id, None)
            if write.text is not None:
                left[own_id] = entry_in(own_id, write.text.encode())
        return left

    def writes(self) -> Iterator[StagedWrite]:
        """Yield the writes of the outcomes that were carried out, in the order of their commits."""
        for outcome in self.carried_out():
            yield from (write for write in outcome.writes if write.path.startswith(f"{FOLDER}/"))

    def carried_out(self) -> Iterator[OutcomeRecord]:
        """Yield the outcomes that were carried out, in the order of their commits."""
        truth, chat = self.world.truth, self.people.conversation_id
        for owner, outcome in truth.staged:
            if owner == chat and (chat, outcome.webhook_event_id, outcome.sequence) not in truth.voided:
                yield outcome

    @property
    def has_taken_back(self) -> bool:
        """Whether anything that an expense may come from was withdrawn, edited or erased, or is not known."""
        people = self.people
        is_erased = people.erased_s >= 0 or people.erased_entries_s >= 0
        messages = people.messages
        return is_erased or any(one.is_withdrawn or len(one.words) > 1 or self.is_lost(one.id) for one in messages)


def check_expenses(story: ExpenseStory) -> Iterator[str]:
    """The expenses are what the committed turns staged; where nothing was taken back, each is as it was staged last."""
    stored, staged = story.stored, story.staged
    if not stored.keys() <= {write.path.removeprefix(f"{FOLDER}/") for write in story.writes()}:
        yield "I6: an expense was not staged"
    for entry in stored.values():
        if isinstance(entry, Expense) and sum(entry.shares.values()) != entry.minor:
            yield "I6: the shares of an expense do not add up to its amount"
    if not story.has_taken_back:
        if staged.keys() - stored.keys():
            yield "I6: an expense is missing"
        elif stored != staged:
            yield "I6: an expense differs from what was staged"
    yield from _check_presses(story)
    closed = [own_id for one in stored.values() if isinstance(one, Settlement) for own_id in one.closes]
    if len(closed) != len(set(closed)):
        yield "I6: an expense was settled twice"


def _check_presses(story: ExpenseStory) -> Iterator[str]:
    """A press settles exactly what the card above its button shows.  A change whose message was taken back may never have been written."""
    presses = {one.id: SettlePress.read(one.presses) for one in story.people.orders if one.command == SETTLE}
    withdrawn = {one.id for one in story.people.messages if one.is_withdrawn}
    left: dict[str, ExpenseRecord] = {}
    lasting: dict[str, ExpenseRecord] = {}
    for outcome in story.carried_out():
        press = presses.get(outcome.webhook_event_id)
        for write in outcome.writes:
            if not write.path.startswith(f"{FOLDER}/"):
                continue
            own_id = write.path.removeprefix(f"{FOLDER}/").removesuffix(".json")
            left.pop(own_id, None)
            if write.text is not None:
                left[own_id] = entry = entry_in(own_id, write.text.encode())
                if withdrawn.isdisjoint(entry.provenance.message_ids):
                    lasting[own_id] = entry
                if press is None or not isinstance(entry, Settlement):
                    continue
                if press.mark not in {_mark_of(entry, left), _mark_of(entry, {**left, **lasting})}:
                    yield "I9: a press settled what its card did not show"


def _mark_of(settlement: Settlement, records: Mapping[str, ExpenseRecord]) -> str:
    """Return the mark that a card has which shows what the settlement closes."""
    closed = [one for own_id in settlement.closes if isinstance(one := records.get(own_id), Expense)]
    closed.sort(key=lambda one: (one.day, one.revision, one.id))
    text = " ".join(f"{one.id}/{format_key(one.revision)}" for one in closed)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
