"""The port `ObjectStore`, as its docstrings define it: in memory, on SQLite, and on Cloud Storage's stand-in by its API and its library."""

import gc
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import pytest

from shared.adapters.gcs import GcsObjectStore
from shared.adapters.gcs_library import LibraryObjectStore
from shared.adapters.memory.object_store import MemoryObjectStore
from shared.adapters.sqlite import Database, SqliteObjectStore
from shared.errors import StorageUnavailableError
from shared.storage.object_store import ListedObject, ObjectStore, StoredObject
from simulator.storage import Call, Fault, Operation, StorageSwitches
from tests.contract.simulator.storage.emulator import PROJECT_ID, Emulator, running_emulator, settle

NAME = "journal/U0123/1.json"
MORE_THAN_A_PAGE = [f"journal/{number:04}" for number in range(1_003)]
RETRY_TIMEOUT_S = 0.1


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    with running_emulator(tmp_path_factory.mktemp("storage")) as emulator:
        yield emulator


@pytest.fixture
def emulator(running: Emulator) -> Iterator[Emulator]:
    running.reset()
    yield running
    running.reset()


RemoteStore = GcsObjectStore | LibraryObjectStore
LOCAL = ("memory", "sqlite")
REMOTE: dict[str, type[RemoteStore]] = {"emulator": GcsObjectStore, "emulator, by the library": LibraryObjectStore}


@pytest.fixture(params=list(REMOTE))
def open_bucket(request: pytest.FixtureRequest, emulator: Emulator) -> Iterator[Callable[..., RemoteStore]]:
    """Return a function that opens a bucket on the emulator, by default an empty one."""
    yield from opener(emulator, REMOTE[request.param])


def opener(emulator: Emulator, kind: type[RemoteStore]) -> Iterator[Callable[..., RemoteStore]]:
    opened: list[RemoteStore] = []

    def open_bucket(*, bucket: str | None = None, retry_timeout_s: float = 10.0) -> RemoteStore:
        store = kind(
            project_id=PROJECT_ID,
            bucket=bucket or emulator.new_bucket(),
            connections=16,
            emulator_host=emulator.url,
            retry_timeout_s=retry_timeout_s,
        )
        opened.append(store)
        return store

    yield open_bucket
    settle()
    for store in opened:
        store.close()


@pytest.fixture
def remote(open_bucket: Callable[..., RemoteStore]) -> RemoteStore:
    return open_bucket()


@contextmanager
def local_store(kind: str, folder: Path) -> Iterator[ObjectStore]:
    """Open an empty store of this process."""
    if kind == "memory":
        yield MemoryObjectStore()
        return
    with closing(Database(folder)) as database:
        yield SqliteObjectStore(database)


@pytest.fixture(params=[*LOCAL, *REMOTE])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ObjectStore]:
    """Return an empty bucket."""
    if request.param in LOCAL:
        with local_store(request.param, tmp_path) as local:
            yield local
        return
    for open_bucket in opener(request.getfixturevalue("emulator"), REMOTE[request.param]):
        yield open_bucket()


@pytest.fixture(params=[*LOCAL, *REMOTE])
def crowded_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ObjectStore]:
    """Return a bucket with more objects than Cloud Storage lists on one page."""
    if request.param in LOCAL:
        with local_store(request.param, tmp_path) as local:
            for name in MORE_THAN_A_PAGE:
                create_object(local, name)
            yield local
        return
    emulator: Emulator = request.getfixturevalue("emulator")
    bucket = emulator.new_bucket()
    emulator.overwrite(bucket, *MORE_THAN_A_PAGE)
    for open_bucket in opener(emulator, REMOTE[request.param]):
        yield open_bucket(bucket=bucket)


@pytest.fixture
def collect_connections() -> Iterator[None]:
    """Collect the connections of refused downloads, which the client library leaves open, before the test ends."""
    yield
    gc.collect()


def on_objects(call: Call) -> bool:
    """Whether the call is on an object.  The client library also reads the bucket itself, and retries that for two minutes."""
    return call.operation != "other"


def create_object(store: ObjectStore, name: str, data: bytes = b"{}") -> int:
    generation = store.create(name, data)
    assert generation is not None
    return generation


def generation_of(store: ObjectStore, name: str) -> int:
    read = store.read(name)
    assert read is not None
    return read.generation


def test_an_object_that_was_never_written_reads_as_none(store: ObjectStore) -> None:
    assert store.read(NAME) is None


@pytest.mark.parametrize(
    "data",
    [
        b"",
        "今日は良い天気ですね。".encode(),
        "👩‍👩‍👧‍👦🇯🇵".encode(),
        bytes(range(256)),
        b"\x1f\x8b not gzip",
        b"x" * 300_000,
    ],
    ids=["nothing", "japanese", "emoji", "every byte", "like gzip", "a picture"],
)
def test_an_object_is_read_as_it_was_written(store: ObjectStore, data: bytes) -> None:
    generation = create_object(store, NAME, data)

    assert store.read(NAME) == StoredObject(data=data, generation=generation)


@pytest.mark.parametrize(
    "name",
    [
        "entries/U1/旅行/京都.md",
        "a%2Fb",
        "a b+c?d=e&f#g.json",
        "no-suffix",
        "x//y",
        "ends/in/",
        "🍣.json",
        "e\u0301",
        "\u00e9",
    ],
)
def test_a_name_may_be_anything(store: ObjectStore, name: str) -> None:
    generation = create_object(store, name, b"1")

    assert store.read(name) == StoredObject(data=b"1", generation=generation)
    assert store.list("") == (ListedObject(name=name, generation=generation),)
    store.delete(name)
    assert store.list("") == ()


def test_an_object_is_created_once(store: ObjectStore) -> None:
    generation = create_object(store, NAME, b"first")

    assert store.create(NAME, b"second") is None
    assert store.read(NAME) == StoredObject(data=b"first", generation=generation)


def test_an_object_is_replaced_at_the_generation_that_was_read(store: ObjectStore) -> None:
    create_object(store, NAME, b"one")
    read = store.read(NAME)
    assert read is not None

    generation = store.replace(NAME, b"two", generation=read.generation)

    assert generation is not None
    assert generation > read.generation
    assert store.read(NAME) == StoredObject(data=b"two", generation=generation)


def test_an_object_is_replaced_at_the_generation_that_was_listed(store: ObjectStore) -> None:
    create_object(store, NAME, b"one")

    assert store.replace(NAME, b"two", generation=store.list("")[0].generation) is not None


def test_a_stale_generation_replaces_nothing(store: ObjectStore) -> None:
    stale = create_object(store, NAME, b"one")
    generation = store.replace(NAME, b"two", generation=stale)

    assert store.replace(NAME, b"three", generation=stale) is None
    assert store.read(NAME) == StoredObject(data=b"two", generation=generation or 0)


def test_an_absent_object_is_not_replaced(store: ObjectStore) -> None:
    assert store.replace(NAME, b"one", generation=1) is None
    assert store.read(NAME) is None


def test_a_deleted_object_is_not_replaced(store: ObjectStore) -> None:
    generation = create_object(store, NAME)
    store.delete(NAME)

    assert store.replace(NAME, b"one", generation=generation) is None
    assert store.read(NAME) is None


def test_a_repeated_deletion_does_nothing(store: ObjectStore) -> None:
    create_object(store, NAME)

    store.delete(NAME)
    store.delete(NAME)

    assert store.read(NAME) is None
    assert store.list("") == ()


@pytest.mark.parametrize("generation", [None, 1])
def test_an_absent_object_can_be_deleted(store: ObjectStore, generation: int | None) -> None:
    assert store.delete(NAME, generation=generation)

    assert store.read(NAME) is None


def test_an_object_is_deleted_at_the_generation_that_was_read(store: ObjectStore) -> None:
    generation = create_object(store, NAME)

    assert store.delete(NAME, generation=generation)

    assert store.read(NAME) is None


def test_a_stale_generation_deletes_nothing(store: ObjectStore) -> None:
    stale = create_object(store, NAME, b"one")
    generation = store.replace(NAME, b"two", generation=stale)

    assert not store.delete(NAME, generation=stale)

    assert store.read(NAME) == StoredObject(data=b"two", generation=generation or 0)


def test_a_deletion_that_comes_late_leaves_what_was_written_since_under_the_name(store: ObjectStore) -> None:
    stale = create_object(store, NAME, b"one")
    store.delete(NAME, generation=stale)
    generation = create_object(store, NAME, b"two")

    assert not store.delete(NAME, generation=stale)

    assert store.read(NAME) == StoredObject(data=b"two", generation=generation)
    assert store.delete(NAME)
    assert store.read(NAME) is None


def test_generations_grow_over_a_deletion(store: ObjectStore) -> None:
    first = create_object(store, NAME)
    store.delete(NAME)

    assert create_object(store, NAME) > first


def test_a_listing_holds_the_objects_of_its_prefix_only(store: ObjectStore) -> None:
    generations = {name: create_object(store, name) for name in ("a/1", "a/2", "ab", "b/a/1")}

    assert store.list("a/") == tuple(ListedObject(name=name, generation=generations[name]) for name in ("a/1", "a/2"))
    assert [listed.name for listed in store.list("a")] == ["a/1", "a/2", "ab"]
    assert store.list("c") == ()


def test_a_listing_is_in_the_order_of_names(store: ObjectStore) -> None:
    names = ["b", "a/b", "a", "Z", "9", "10", "語", "🍣", "\uff21"]  # 🍣 is the last by its bytes, but not in UTF-16
    for name in names:
        create_object(store, name)

    assert [listed.name for listed in store.list("")] == ["10", "9", "Z", "a", "a/b", "b", "語", "\uff21", "🍣"]


@pytest.mark.parametrize(
    ("before", "names"),
    [
        ("a/2", ["a/1"]),
        ("a/3", ["a/1", "a/2"]),
        ("a/", []),
        ("a/2/x", ["a/1", "a/2"]),
        ("a/語", ["a/1", "a/2"]),
        ("a/🍣", ["a/1", "a/2", "a/語", "a/\uff21"]),  # as in UTF-8; in UTF-16 it would be the smaller one
        ("b", ["a/1", "a/2", "a/語", "a/\uff21", "a/🍣"]),
        ("A", []),
    ],
)
def test_a_listing_ends_before_a_name(store: ObjectStore, before: str, names: list[str]) -> None:
    for name in ("a/2", "a/1", "a/🍣", "a/\uff21", "a/語", "a", "b/1"):
        create_object(store, name)

    assert [listed.name for listed in store.list("a/", before=before)] == names


@pytest.mark.parametrize(
    ("since", "before", "names"),
    [
        ("a/2", None, ["a/2", "a/語", "a/\uff21", "a/🍣"]),  # the name itself is listed
        ("a/20", None, ["a/語", "a/\uff21", "a/🍣"]),
        ("a/🍣", None, ["a/🍣"]),  # as in UTF-8; in UTF-16 it would be the smaller one
        ("a", None, ["a/1", "a/2", "a/語", "a/\uff21", "a/🍣"]),
        ("b", None, []),
        ("a/2", "a/🍣", ["a/2", "a/語", "a/\uff21"]),
        ("a/2", "a/2", []),
    ],
)
def test_a_listing_begins_at_a_name(store: ObjectStore, since: str, before: str | None, names: list[str]) -> None:
    for name in ("a/2", "a/1", "a/🍣", "a/\uff21", "a/語", "a", "b/1"):
        create_object(store, name)

    assert [listed.name for listed in store.list("a/", since=since, before=before)] == names


def test_a_listing_of_many_pages_begins_at_a_name(crowded_store: ObjectStore) -> None:
    listed = crowded_store.list("journal/", since=MORE_THAN_A_PAGE[2])

    assert [there.name for there in listed] == MORE_THAN_A_PAGE[2:]


def test_a_listing_of_many_pages_ends_before_a_name(crowded_store: ObjectStore) -> None:
    listed = crowded_store.list("journal/", before=MORE_THAN_A_PAGE[1_001])

    assert [there.name for there in listed] == MORE_THAN_A_PAGE[:1_001]


def test_a_listing_has_the_newest_generation(store: ObjectStore) -> None:
    generation = store.replace(NAME, b"two", generation=create_object(store, NAME))

    assert store.list(NAME) == (ListedObject(name=NAME, generation=generation or 0),)


def test_an_object_is_read_again_only_if_it_has_changed(store: ObjectStore) -> None:
    known = StoredObject(data=b"one", generation=create_object(store, NAME, b"one"))

    assert store.read_again(NAME, known) is known
    generation = store.replace(NAME, b"two", generation=known.generation)
    assert store.read_again(NAME, known) == StoredObject(data=b"two", generation=generation or 0)
    store.delete(NAME)
    assert store.read_again(NAME, known) is None


def test_a_listing_of_many_pages_is_complete(crowded_store: ObjectStore) -> None:
    listed = crowded_store.list("journal/")

    assert [there.name for there in listed] == MORE_THAN_A_PAGE
    assert {there.generation for there in listed[:: len(listed) - 1]} == {
        generation_of(crowded_store, MORE_THAN_A_PAGE[0]),
        generation_of(crowded_store, MORE_THAN_A_PAGE[-1]),
    }


def test_of_many_concurrent_creations_one_wins(store: ObjectStore) -> None:
    writers = [f"writer {number}".encode() for number in range(16)]

    with ThreadPoolExecutor(16) as threads:
        generations = list(threads.map(lambda writer: store.create(NAME, writer), writers))

    winners = [pair for pair in zip(writers, generations, strict=True) if pair[1] is not None]
    assert len(winners) == 1
    assert store.read(NAME) == StoredObject(data=winners[0][0], generation=winners[0][1] or 0)


def test_a_counter_under_concurrent_swaps_loses_no_count(store: ObjectStore) -> None:
    create_object(store, NAME, b"0")

    def count(_: int) -> None:
        while True:
            read = store.read(NAME)
            assert read is not None
            if store.replace(NAME, b"%d" % (int(read.data) + 1), generation=read.generation) is not None:
                return

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(count, range(24)))

    read = store.read(NAME)
    assert read is not None
    assert read.data == b"24"


@pytest.mark.usefixtures("collect_connections")
@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")
@pytest.mark.parametrize(
    "fault",
    [
        Fault(rule=on_objects, error_status=503),
        Fault(rule=on_objects, error_status=429),
        Fault(rule=on_objects, answer="cut"),
    ],
)
@pytest.mark.parametrize(
    "ask",
    [
        lambda store: store.read(NAME),
        lambda store: store.create(NAME, b"{}"),
        lambda store: store.replace(NAME, b"{}", generation=1),
        lambda store: store.delete(NAME),
        lambda store: store.list(""),
    ],
    ids=["read", "create", "replace", "delete", "list"],
)
def test_a_store_that_never_answers_is_unavailable(
    emulator: Emulator,
    open_bucket: Callable[..., RemoteStore],
    ask: Callable[[ObjectStore], object],
    fault: Fault,
) -> None:
    store = open_bucket(retry_timeout_s=RETRY_TIMEOUT_S)
    emulator.proxy.faults.add(fault)

    with pytest.raises(StorageUnavailableError, match="Cloud Storage"):
        ask(store)


@pytest.mark.parametrize(
    "fault", [Fault(operation="insert", nth=1, error_status=429), Fault(operation="insert", nth=1, error_status=503)]
)
def test_a_write_that_was_refused_is_retried(emulator: Emulator, remote: RemoteStore, fault: Fault) -> None:
    emulator.proxy.faults.add(fault)

    generation = create_object(remote, NAME, b"one")

    assert remote.read(NAME) == StoredObject(data=b"one", generation=generation)


def test_a_limited_write_that_lost_meanwhile_is_not_retried(emulator: Emulator, remote: RemoteStore) -> None:
    generation = create_object(remote, NAME, b"one")
    assert remote.replace(NAME, b"two", generation=generation) is not None
    emulator.proxy.faults.add(Fault(rule=lambda call: call.operation == "insert", error_status=429))

    assert remote.replace(NAME, b"three", generation=generation) is None
    assert remote.create(NAME, b"three") is None

    assert [one.status for one in emulator.proxy.requests].count(429) == 2


def test_a_second_write_within_a_second_is_retried(emulator: Emulator, remote: RemoteStore) -> None:
    emulator.proxy.switches = StorageSwitches(one_write_a_second=True)
    generation = create_object(remote, NAME, b"one")

    assert remote.replace(NAME, b"two", generation=generation) is not None
    assert 429 in {request.status for request in emulator.proxy.requests}


@pytest.mark.parametrize(
    "fault", [Fault(operation="insert", nth=1, answer="cut"), Fault(operation="insert", nth=1, answer="unavailable")]
)
def test_a_creation_whose_answer_was_lost_returns_none(emulator: Emulator, remote: RemoteStore, fault: Fault) -> None:
    emulator.proxy.faults.add(fault)

    assert remote.create(NAME, b"mine") is None
    read = remote.read(NAME)
    assert read is not None
    assert read.data == b"mine"


def test_a_deletion_whose_answer_was_lost_takes_effect(emulator: Emulator, remote: RemoteStore) -> None:
    generation = create_object(remote, NAME)
    emulator.proxy.faults.add(Fault(operation="delete", nth=1, answer="cut"))

    assert remote.delete(NAME, generation=generation)

    assert remote.read(NAME) is None
    assert [one.status for one in emulator.proxy.requests if one.operation == "delete"][1:] == [404]


@pytest.mark.parametrize("operation", ["media", "list"])
def test_a_read_whose_answer_was_lost_is_repeated(
    emulator: Emulator, remote: RemoteStore, operation: Operation
) -> None:
    generation = create_object(remote, NAME, b"one")
    emulator.proxy.faults.add(Fault(operation=operation, nth=1, answer="cut"))

    assert remote.read(NAME) == StoredObject(data=b"one", generation=generation)
    assert remote.list("") == (ListedObject(name=NAME, generation=generation),)


@pytest.mark.parametrize(
    "ask", [lambda store: store.read(NAME), lambda store: store.delete(NAME)], ids=["read", "delete"]
)
def test_an_absent_object_is_requested_once(
    emulator: Emulator, remote: RemoteStore, ask: Callable[[ObjectStore], object]
) -> None:
    create_object(remote, "first")
    settle()
    emulator.proxy.requests.clear()

    ask(remote)

    settle()
    assert len(emulator.proxy.requests) == 1


def test_an_object_replaced_during_a_read_is_not_absent(
    emulator: Emulator, open_bucket: Callable[..., RemoteStore]
) -> None:
    bucket = emulator.new_bucket()
    store = open_bucket(bucket=bucket)
    create_object(store, NAME, b"1" * 100_000)
    overwrite = partial(emulator.overwrite, bucket, NAME, data=b"2")
    emulator.proxy.faults.add(Fault(operation="media", nth=1, answer="cut", took_effect=overwrite))

    read = store.read(NAME)

    assert read is not None
    assert read.data == b"2"


@pytest.mark.parametrize(
    "data", [b"--not a boundary--\r\n\r\n--", b"\r\n--part-of-an-object--\r\n"], ids=["like a part", "like an end"]
)
def test_an_object_may_look_like_a_part_of_an_upload(store: ObjectStore, data: bytes) -> None:
    generation = create_object(store, NAME, data)

    assert store.read(NAME) == StoredObject(data=data, generation=generation)


def test_media_are_objects_like_others(store: ObjectStore) -> None:
    generation = create_object(store, "media/U0123/1", b"\xff\xd8" * 100_000)

    assert store.create("media/U0123/1", b"again") is None
    assert store.read("media/U0123/1") == StoredObject(data=b"\xff\xd8" * 100_000, generation=generation)
    store.delete("media/U0123/1")
    assert store.read("media/U0123/1") is None


PICTURE = "media/U0123/1"
PIECE = b"\xff\xd8" * 100_000
"""Of a medium that arrives in pieces."""


@pytest.mark.parametrize("count", [0, 1, 30])
def test_a_medium_is_written_as_it_arrives(store: ObjectStore, count: int) -> None:
    assert store.create_from(PICTURE, (PIECE for _ in range(count)))
    written = store.read(PICTURE)

    assert written is not None
    assert written.data == PIECE * count
    assert not store.create_from(PICTURE, [b"again"])
    assert not store.create_from(PICTURE, [PIECE] * 30)
    assert store.read(PICTURE) == written


@pytest.mark.parametrize("count", [1, 30])
def test_nothing_is_written_of_a_medium_that_breaks_off(store: ObjectStore, count: int) -> None:
    def pieces() -> Iterator[bytes]:
        yield from [PIECE] * count
        raise BrokenOffError

    with pytest.raises(BrokenOffError):
        store.create_from(PICTURE, pieces())

    assert store.read(PICTURE) is None
    assert store.list("") == ()


class BrokenOffError(Exception):
    """LINE sends no more."""


@pytest.mark.parametrize(
    "fault",
    [
        Fault(operation="start", nth=1, error_status=503),
        Fault(operation="part", nth=2, error_status=503),
        Fault(operation="insert", nth=1, error_status=503),
    ],
    ids=lambda fault: fault.operation,
)
def test_a_part_of_a_medium_that_failed_is_sent_again(emulator: Emulator, remote: RemoteStore, fault: Fault) -> None:
    emulator.proxy.faults.add(fault)

    assert remote.create_from(PICTURE, [PIECE] * 30)

    written = remote.read(PICTURE)
    assert written is not None
    assert written.data == PIECE * 30
    assert 503 in {request.status for request in emulator.proxy.requests}


def test_a_medium_that_cannot_be_written_is_an_error(
    emulator: Emulator, open_bucket: Callable[..., RemoteStore]
) -> None:
    store = open_bucket(retry_timeout_s=RETRY_TIMEOUT_S)
    emulator.proxy.faults.add(Fault(operation="part", error_status=503))

    with pytest.raises(StorageUnavailableError):
        store.create_from(PICTURE, [PIECE] * 30)


def test_only_a_part_of_a_medium_is_held(remote: RemoteStore) -> None:
    remote.create_from(PICTURE, [PIECE])  # what is imported on demand is there
    tracemalloc.start()
    try:
        remote.create_from("media/U0123/2", (bytes(len(PIECE)) for _ in range(100)))
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak_bytes < 100 * len(PIECE) * 0.6  # three copies of a part are the stand-in's, which shares this process
