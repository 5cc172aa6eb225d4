import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.access.admission import CACHED_S, AdmissionRecord, Admissions
from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.errors import UnusableIdError
from shared.storage.codec import decode, encode
from shared.storage.object_store import StoredObject
from tests.support import recorded, schemas


class CountingStore(MemoryObjectStore):
    """A bucket that counts what is read."""

    reads = 0

    def read(self, name: str) -> StoredObject | None:
        self.reads += 1
        return super().read(name)


@pytest.fixture
def store() -> CountingStore:
    return CountingStore()


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def admissions(store: CountingStore, clock: FixedClock) -> Admissions:
    return Admissions(store=store, clock=clock)


def test_an_admission_is_read_once_a_minute(admissions: Admissions, store: CountingStore, clock: FixedClock) -> None:
    store.create(f"admitted/{recorded.USER}.json", encode(AdmissionRecord(since_ms=5)))
    clock.move(CACHED_S)

    for _ in range(3):
        assert admissions.of(recorded.USER) == AdmissionRecord(since_ms=5)
    assert store.reads == 1

    clock.move(CACHED_S)
    admissions.of(recorded.USER)
    assert store.reads == 2


def test_a_revocation_elsewhere_is_seen_within_a_minute(store: CountingStore, clock: FixedClock) -> None:
    warm, elsewhere = Admissions(store=store, clock=clock), Admissions(store=store, clock=clock)
    warm.admit(recorded.USER, since_ms=1)

    assert elsewhere.revoke(recorded.USER)
    clock.move(CACHED_S)

    found = warm.of(recorded.USER)
    assert found is not None
    assert found.is_revoked


def test_that_a_chat_has_no_admission_is_never_kept(store: CountingStore, clock: FixedClock) -> None:
    warm, elsewhere = Admissions(store=store, clock=clock), Admissions(store=store, clock=clock)
    assert warm.of(recorded.USER) is None

    elsewhere.admit(recorded.USER, since_ms=1)

    assert warm.of(recorded.USER) is not None


def test_that_a_chat_was_revoked_is_never_kept(store: CountingStore, clock: FixedClock) -> None:
    warm, elsewhere = Admissions(store=store, clock=clock), Admissions(store=store, clock=clock)
    warm.admit(recorded.USER, since_ms=1)
    warm.revoke(recorded.USER)
    assert warm.of(recorded.USER) == AdmissionRecord(since_ms=1, is_revoked=True)

    elsewhere.admit(recorded.USER, since_ms=9, renews=True)

    assert warm.of(recorded.USER) == AdmissionRecord(since_ms=9)


class SlowStore(MemoryObjectStore):
    """A bucket whose next read is answered half a minute late, after something happened."""

    meanwhile: Callable[[], object] | None = None

    def __init__(self, clock: FixedClock) -> None:
        super().__init__()
        self.clock = clock

    def read(self, name: str) -> StoredObject | None:
        found, happens = super().read(name), self.meanwhile
        if happens is not None:
            self.meanwhile = None
            happens()
            self.clock.move(CACHED_S / 2)
        return found


def test_an_admission_is_kept_from_when_it_was_asked_for(clock: FixedClock) -> None:
    store = SlowStore(clock)
    warm, elsewhere = Admissions(store=store, clock=clock), Admissions(store=store, clock=clock)
    elsewhere.admit(recorded.USER, since_ms=1)
    store.meanwhile = lambda: elsewhere.revoke(recorded.USER)
    assert warm.of(recorded.USER) == AdmissionRecord(since_ms=1)

    clock.move(CACHED_S / 2)

    found = warm.of(recorded.USER)
    assert found is not None
    assert found.is_revoked


def test_an_admission_that_was_written_is_kept_from_when_that_began(clock: FixedClock) -> None:
    store = SlowStore(clock)
    warm, elsewhere = Admissions(store=store, clock=clock), Admissions(store=store, clock=clock)
    elsewhere.admit(recorded.USER, since_ms=1)
    store.meanwhile = lambda: elsewhere.revoke(recorded.USER)
    assert not warm.admit(recorded.USER, since_ms=2).is_revoked

    clock.move(CACHED_S / 2)

    found = warm.of(recorded.USER)
    assert found is not None
    assert found.is_revoked


def test_an_admission_begins_once(admissions: Admissions) -> None:
    admissions.admit(recorded.USER, since_ms=5)

    assert admissions.admit(recorded.USER, since_ms=9).since_ms == 5


def test_only_the_operator_renews_a_revoked_admission(admissions: Admissions) -> None:
    admissions.admit(recorded.USER, since_ms=5)
    admissions.revoke(recorded.USER)

    assert admissions.admit(recorded.USER, since_ms=9).is_revoked
    assert admissions.admit(recorded.USER, since_ms=9, renews=True) == AdmissionRecord(since_ms=9)


def test_a_chat_that_was_never_admitted_is_not_revoked(admissions: Admissions, store: CountingStore) -> None:
    assert not admissions.revoke(recorded.USER)
    assert store.list("") == ()


def test_all_admissions_are_listed(admissions: Admissions) -> None:
    admissions.admit(recorded.USER, since_ms=5)
    admissions.admit(recorded.GROUP, since_ms=6)
    admissions.revoke(recorded.GROUP)

    assert {chat: one is not None and one.is_revoked for chat, one in admissions.all().items()} == {
        recorded.USER: False,
        recorded.GROUP: True,
    }


@pytest.mark.parametrize("since_ms", [0, 5])
def test_an_event_from_before_the_admission_stays_out(since_ms: int) -> None:
    assert not AdmissionRecord(since_ms=since_ms).admits(since_ms - 1)
    assert AdmissionRecord(since_ms=since_ms).admits(since_ms)


def test_a_malformed_id_becomes_no_name(admissions: Admissions) -> None:
    with pytest.raises(UnusableIdError):
        admissions.of("../x")


@given(st.builds(AdmissionRecord, since_ms=st.integers(0, 2**42), is_revoked=st.booleans()))
def test_an_admission_is_stored_by_its_schema_and_read_back(record: AdmissionRecord) -> None:
    schemas.validator("records/admission").validate(json.loads(encode(record)))

    assert decode(AdmissionRecord, encode(record)) == record
