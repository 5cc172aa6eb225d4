"""Checks every write of the turn: which request holds it, whether its lease still runs, and what was committed."""

from dataclasses import dataclass

from shared.conversation.records import Amendment, OutcomeKind, OutcomeRecord
from shared.conversation.turn import TurnRecord
from shared.storage.codec import decode
from tests.simulation.model.times import FENCE_S
from tests.simulation.product.people import ids_repeated_in
from tests.simulation.product.scheduler import Task
from tests.simulation.product.world import World


@dataclass(frozen=True, slots=True)
class _Hold:
    request: str
    task: Task
    until_s: float


class Holders:
    """The holders of one chat's turn, including dead ones."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._known: dict[str, _Hold] = {}

    def watch(self, before: TurnRecord, after: TurnRecord, *, begun_s: float) -> None:
        """Check a write of the turn that took effect; its writer sent it at `begun_s`."""
        if after.state == "idle":
            return
        task, truth = self._world.scheduler.current(), self._world.truth
        if before.state == "thinking" and after.holder != before.holder and self._is_alive(before.holder):
            truth.report("I3: the turn of a live holder was taken")
        if after.state == "committed" and after.outcome is not None:
            if before.state == "thinking" and after.holder != before.holder:
                truth.report("I3: an outcome was committed by somebody who did not hold the turn")
            if before.state == "idle":
                truth.report("I3: an outcome was committed to an idle turn")
            if before.state == "thinking" and after.outcome.kind is OutcomeKind.REPLIED:
                self._check_edits(after.outcome)
            if after.outcome.text is not None and after.route.kind != "none":
                truth.committed[after.route.reply_token, after.outcome.text] = after.outcome
                if before.state == "thinking":
                    is_late = any(
                        map(self._is_withdrawn, {*after.outcome.covers, *ids_repeated_in(after.outcome.text)})
                    )
                    truth.too_late[after.route.reply_token, after.outcome.text] = is_late
        if after.expires_ms != before.expires_ms:  # a cancellation by an unsend does not renew the lease
            self._known[after.holder] = _Hold(task.request, task, begun_s + FENCE_S)

    def _check_edits(self, outcome: OutcomeRecord) -> None:
        truth = self._world.truth
        newest = [truth.newest[one] for one in outcome.covers if one in truth.newest]
        if not all(any(word in (outcome.text or "") for word in words) for words in newest):
            truth.report("I4: an answer was committed to the text from before an edit that had been handled")

    def _is_withdrawn(self, line_message_id: str) -> bool:
        objects = self._world.objects
        names = [one.name for one in objects.list("amended/") if one.name.endswith(f"/{line_message_id}.json")]
        amendments = [decode(Amendment, stored.data) for name in names if (stored := objects.read(name)) is not None]
        return any(one.text is None for one in amendments)

    def _is_alive(self, holder: str) -> bool:
        hold = self._known.get(holder)
        return (
            hold is not None
            and self._world.clocks_hold
            and not hold.task.process.is_dead
            and self._world.now_s < hold.until_s
            and hold.request in self._world.requests
        )
