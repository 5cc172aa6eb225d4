from dataclasses import replace

import pytest

from shared.conversation.push_claim import PushClaim, swap_claimed
from shared.errors import TurnBusyError
from shared.frozen import frozen

OWN = PushClaim(worker="w1", first_ms=1, until_ms=25_001)


@frozen
class Due:
    """A thing that is due."""

    id: str = "d1"
    claim: PushClaim | None = None


class LossyStore:
    """Writes a thing, and loses the response; `stored` is what is there then."""

    def __init__(self, stored: Due | None) -> None:
        self.stored = stored

    def find(self, thing_id: str, /) -> tuple[Due, int] | None:
        return (self.stored, 8) if self.stored is not None and self.stored.id == thing_id else None

    def swap(self, thing: Due, generation: int, /) -> int | None:
        del thing, generation
        return None


@pytest.mark.parametrize("claim", [OWN, replace(OWN, unknown_fields='{"mood": "sunny"}')])
def test_a_claim_whose_response_was_lost_is_known_again_also_with_a_newer_releases_fields(claim: PushClaim) -> None:
    store = LossyStore(Due(claim=claim))

    assert swap_claimed(store, Due(claim=OWN), 7) == (Due(claim=claim), 8)


@pytest.mark.parametrize(
    "stored", [None, Due(), Due(claim=replace(OWN, worker="w2")), Due(claim=replace(OWN, until_ms=25_002))]
)
def test_a_claim_that_lost_is_given_up(stored: Due | None) -> None:
    with pytest.raises(TurnBusyError):
        swap_claimed(LossyStore(stored), Due(claim=OWN), 7)
