"""Mutations of hooks."""

import uuid
from collections.abc import Mapping
from typing import Final

from tests.simulation.mutation import Mutation
from tests.simulation.rules import DropClause, Instead, Never, Return, Skip

OF_HOOKS: Final[Mapping[str, Mutation]] = {
    "takes_a_notice_once": Mutation(
        "shared.hooks.arrival:NoticeHandler.__call__",
        DropClause("seen"),
        lacks="a notice that Pub/Sub delivers again is shown again",
    ),
    "records_shown_notices": Mutation(
        "shared.hooks.apply:HookWriting.finish",
        Return(value=True),
        lacks="a notice that was shown is shown with every answer",
    ),
    "keeps_said_notices_said": Mutation(
        "shared.hooks.hook:Hook.with_states",
        DropClause("SAID"),
        lacks="a notice that another worker has pushed waits for the next message",
    ),
    "checks_the_token_of_a_hook": Mutation(
        "shared.hooks.arrival:NoticeHandler._reason_to_drop",
        Never("mark"),
        lacks="the old token of a hook goes on after its rotation",
    ),
    "pushes_notices_under_one_key": Mutation(
        "shared.hooks.delivery:NoticeDelivery._push",
        Instead("uuid5", lambda *_: uuid.uuid4()),
        lacks="a push whose worker died is seen twice",
    ),
    "counts_pushes_of_notices": Mutation(
        "shared.hooks.delivery:NoticeDelivery._deliver",
        Instead("pushes.take", lambda *_, **__: None),
        lacks="the pushes of hooks count for no share of the quota",
    ),
    "shows_notices_in_a_free_turn": Mutation(
        "shared.turns.runner:TurnRunner.try_once",
        Never("_is_held"),
        lacks="a waiting notice takes the turn of a live holder",
    ),
    "leaves_a_marker_for_a_push": Mutation(
        "shared.hooks.arrival:NoticeHandler._push",
        Skip("store.mark"),
        lacks="a notice is never pushed whose worker died",
    ),
}
