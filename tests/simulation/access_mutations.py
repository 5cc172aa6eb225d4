"""Mutations of the door: admissions, what passes them, and who waits for one."""

from collections.abc import Mapping
from typing import Final

from tests.simulation.mutation import Mutation
from tests.simulation.rules import Instead, Never, Return
from tests.simulation.stand_ins import keep_from_now, no_admission

_ADMISSION: Final = "shared.access.admission"

OF_ACCESS: Final[Mapping[str, Mutation]] = {
    "forgets_behind_the_door": Mutation(
        "shared.handlers.forgetting:Forgetting.passes_admission",
        Return(value=False),
        lacks="an edit is lost while its chat is revoked, and the old words come back",
    ),
    "stores_no_words_behind_the_door": Mutation(
        "shared.handlers.edit:EditHandler.__call__",
        Never("admits"),
        lacks="an edit in a revoked chat stores words of a message that is not stored",
    ),
    "caches_admissions_from_the_question": Mutation(
        f"{_ADMISSION}:Admissions.of",
        Instead("_keep", keep_from_now),
        lacks="an admission that was read slowly is acted on for longer than a minute after its revocation",
    ),
    "caches_no_revocation": Mutation(
        f"{_ADMISSION}:Admissions._keep",
        Never("is_revoked"),
        lacks="a chat that the operator admits again is met with silence for a minute",
    ),
    "waits_for_the_code": Mutation(
        "shared.handlers.admission:AdmissionHandler._meet",
        Instead("wait_for_admission", no_admission),
        lacks="a message that overtakes the code which lets it in is refused",
    ),
    "waits_to_take_back": Mutation(
        "shared.handlers.traces:Traces._is_admitted_soon",
        Return(value=False),
        lacks="a withdrawal that overtakes the code is lost, and its message is let in",
    ),
}
