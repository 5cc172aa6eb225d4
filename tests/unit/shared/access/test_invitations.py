import json
import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.access.invitations import CODE_LENGTH, InvitationRecord, Invitations
from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.storage.codec import decode, encode
from shared.storage.object_store import StoredObject
from tests.support import recorded, schemas
from tests.support.chats import everything_in

DAY_MS = 86_400_000


@pytest.fixture
def store() -> MemoryObjectStore:
    return MemoryObjectStore()


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def invitations(store: MemoryObjectStore, clock: FixedClock) -> Invitations:
    return Invitations(store=store, clock=clock)


@pytest.fixture
def code(invitations: Invitations, clock: FixedClock) -> str:
    return invitations.invite(expires_ms=clock.now_ms() + DAY_MS)


def test_a_code_is_four_groups_of_four(code: str) -> None:
    assert re.fullmatch(r"[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}", code)
    assert len(code.replace("-", "")) == CODE_LENGTH


def test_only_the_hash_of_a_code_is_stored(code: str, store: MemoryObjectStore) -> None:
    stored = everything_in(store).casefold()

    assert code.casefold() not in stored
    assert code.replace("-", "").casefold() not in stored


@pytest.mark.parametrize(
    "spelling",
    [
        str.lower,
        lambda code: code.replace("-", ""),
        lambda code: f" {code.replace('-', ' ')} ",
        lambda code: f"{code}。",
    ],
)
def test_spelling_does_not_matter(invitations: Invitations, code: str, spelling: Callable[[str], str]) -> None:
    assert invitations.redeem(spelling(code), recorded.USER)


def test_letters_that_look_alike_are_the_same(invitations: Invitations, code: str) -> None:
    assert invitations.redeem(code.replace("0", "O").replace("1", "l"), recorded.USER)


def test_a_code_admits_one_chat_however_often_it_comes(invitations: Invitations, code: str) -> None:
    assert invitations.redeem(code, recorded.USER)
    assert invitations.redeem(code, recorded.USER)
    assert not invitations.redeem(code, recorded.GROUP)


def test_a_code_for_many_admits_many(invitations: Invitations, clock: FixedClock) -> None:
    code = invitations.invite(expires_ms=clock.now_ms() + DAY_MS, is_single_use=False)

    assert invitations.redeem(code, recorded.USER)
    assert invitations.redeem(code, recorded.GROUP)


def test_a_code_that_expired_admits_nobody(invitations: Invitations, clock: FixedClock, code: str) -> None:
    clock.move(DAY_MS / 1_000)

    assert not invitations.redeem(code, recorded.USER)


@pytest.mark.parametrize("wrong", ["", "0000-0000-0000-0000", "x" * 10_000, "\U0001f600", "/../"])
def test_any_other_text_admits_nobody(invitations: Invitations, code: str, wrong: str) -> None:
    assert code
    assert not invitations.redeem(wrong, recorded.USER)


def test_half_a_hash_is_not_enough(invitations: Invitations, store: MemoryObjectStore, code: str) -> None:
    (listed,) = store.list("invitations/")
    stored = store.read(listed.name)
    assert stored is not None
    forged = json.loads(stored.data) | {"code_sha256": "0" * 64}
    store.replace(listed.name, json.dumps(forged).encode(), generation=listed.generation)

    assert not invitations.redeem(code, recorded.USER)


def test_a_new_invitation_removes_those_that_expired(
    invitations: Invitations, clock: FixedClock, store: MemoryObjectStore, code: str
) -> None:
    assert code
    clock.move(DAY_MS / 1_000)

    invitations.invite(expires_ms=clock.now_ms() + DAY_MS)

    assert len(store.list("invitations/")) == 1


class VanishingStore(MemoryObjectStore):
    """A bucket in which another instance deletes every invitation after it was listed."""

    def read(self, name: str) -> StoredObject | None:
        self.delete(name)
        return super().read(name)


def test_an_invitation_that_is_removed_meanwhile_is_not_counted(clock: FixedClock) -> None:
    invitations = Invitations(store=VanishingStore(), clock=clock)
    invitations.invite(expires_ms=clock.now_ms() + DAY_MS)

    assert invitations.count_valid() == 0


def test_valid_invitations_are_counted(invitations: Invitations, clock: FixedClock, code: str) -> None:
    for _ in range(2):
        invitations.invite(expires_ms=clock.now_ms() + DAY_MS)
    invitations.redeem(code, recorded.USER)

    assert invitations.count_valid() == 2
    clock.move(DAY_MS / 1_000)
    assert invitations.count_valid() == 0


def test_an_open_invitation_is_open_until_it_expires(invitations: Invitations, clock: FixedClock) -> None:
    assert not invitations.is_any_open()
    invitations.invite(expires_ms=clock.now_ms() + DAY_MS, is_open=True)

    assert invitations.is_any_open()
    clock.move(DAY_MS / 1_000)
    assert not invitations.is_any_open()


@given(
    st.builds(
        InvitationRecord,
        code_sha256=st.from_regex(r"[0-9a-f]{64}", fullmatch=True),
        expires_ms=st.integers(0, 2**42),
        is_single_use=st.booleans(),
        is_open=st.booleans(),
        used_by=st.none() | st.just(recorded.USER),
    )
)
def test_an_invitation_is_stored_by_its_schema_and_read_back(record: InvitationRecord) -> None:
    schemas.validator("records/invitation").validate(json.loads(encode(record)))

    assert decode(InvitationRecord, encode(record)) == record
