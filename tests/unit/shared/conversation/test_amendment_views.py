from dataclasses import replace

from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.conversation.amendment_views import AmendedListing, AmendmentView, AmendmentViews
from shared.conversation.amendments import Amendments, Plan
from shared.conversation.store import Conversation
from shared.storage.object_names import AmendedName, ObjectNames
from shared.storage.object_store import ListedObject
from tests.support.chats import conversations_on
from tests.support.inline import InlineExecutor

CHAT = "U" + "1" * 32
NAMES = ObjectNames(CHAT)


def listing_at(seconds: float) -> AmendedListing:
    return AmendedListing(view=None, events={}, fold=None, listed_ms=round(seconds * 1_000), listed_s=seconds)


def withdrawn(count: int) -> Amendments:
    return Amendments(withdrawn=frozenset(str(number) for number in range(count)))


def new_events(chat: Conversation) -> list[str]:
    return [name.id for name in chat.amendments.list_events().events.values()]


def test_what_is_known_of_a_chat_is_relied_on_for_half_an_hour() -> None:
    views = AmendmentViews()
    views.cache(NAMES, listing_at(10.0), withdrawn(1))

    known = views.of(CHAT, now_ms=10_000, now_s=1_809.9)
    assert known is not None
    assert known.amendments == withdrawn(1)
    assert views.of(CHAT, now_ms=10_000, now_s=1_810.0) is None


def test_what_is_known_of_a_chat_is_dropped_if_the_monotonic_clock_stood_still_while_the_machine_slept() -> None:
    views = AmendmentViews()
    views.cache(NAMES, listing_at(10.0), withdrawn(1))

    assert views.of(CHAT, now_ms=1_809_999, now_s=11.0) is not None
    assert views.of(CHAT, now_ms=1_810_000, now_s=11.0) is None


def test_what_is_known_of_a_chat_is_dropped_if_the_clock_went_back() -> None:
    views = AmendmentViews()
    views.cache(NAMES, listing_at(10.0), withdrawn(1))

    assert views.of(CHAT, now_ms=9_999, now_s=11.0) is None


def test_each_event_is_listed_as_new_once_for_as_long_as_listings_find_it(clock: FixedClock) -> None:
    chat = conversations_on(MemoryObjectStore(), InlineExecutor(), clock).of(CHAT)
    chat.amendments.withdraw({"m1"}, timestamp_ms=5)
    assert new_events(chat) == ["m1"]
    for _ in range(3):
        chat.amendments.look()
        clock.move(100.0)
        assert new_events(chat) == []
    chat.amendments.withdraw({"m2"}, timestamp_ms=5)

    assert new_events(chat) == ["m2"]


def test_names_that_no_listing_finds_again_are_not_remembered(clock: FixedClock) -> None:
    chat = conversations_on(MemoryObjectStore(), InlineExecutor(), clock).of(CHAT)
    log = chat.amendments
    for number in range(20):
        log.withdraw({f"m{number}"}, timestamp_ms=5)
        log.look()
        clock.move(100.0)

    view = log.views.of(CHAT, now_ms=clock.now_ms(), now_s=clock.monotonic_s())

    assert view is not None
    assert len(view.amendments.withdrawn) == 20
    assert len(view.names) == 7  # of ten minutes before the last look


def test_the_ids_of_a_view_are_counted() -> None:
    amendments = Amendments(
        withdrawn=frozenset("ab"),
        edited_ms={"c": 1, "d": 1, "e": 1},
        redacted={"f": frozenset("m"), "g": frozenset("mn")},
        members={"o": 1},
        together={"p": frozenset("ab")},
        plans={"p": Plan(redacted_ids=frozenset("fg"), cleared_ids=frozenset("mnq"))},
        edits={"c": "x" * 450},
    )
    views = AmendmentViews()
    listing = listing_at(10.0)
    views.cache(NAMES, listing, amendments)
    view = views.of(CHAT, now_ms=10_000, now_s=10.0)

    assert view is not None
    assert view.ids == 1 + 2 + 3 + (2 + 3) + 1 + 2 + (2 + 3) + 4
    views.cache(NAMES, replace(listing, view=view), amendments)
    assert views.of(CHAT, now_ms=10_000, now_s=10.0) == view


def test_an_instance_caches_at_most_two_hundred_thousand_ids() -> None:
    views, other = AmendmentViews(), ObjectNames("U" + "2" * 32)
    views.cache(NAMES, listing_at(10.0), withdrawn(150_000))
    assert views.of(CHAT, now_ms=10_000, now_s=10.0) is not None

    views.cache(other, listing_at(10.0), withdrawn(60_000))
    views.cache(ObjectNames("U" + "3" * 32), listing_at(10.0), withdrawn(200_000))

    cached = [views.of(f"U{number * 32}", now_ms=10_000, now_s=10.0) is not None for number in "123"]
    assert cached == [False, True, False]


def listing_of(known: Amendments | None, *listed: tuple[str, str]) -> AmendedListing:
    """Return a listing of events by their kinds and ids, in an instance that knows these amendments."""
    named = [AmendedName(written_ms=7, kind=kind, id=an_id, digest="0a1b2c3d") for kind, an_id in listed]
    view = AmendmentView(amendments=known, names=frozenset(), listed_ms=1, listed_s=1.0) if known is not None else None
    return AmendedListing(
        view=view,
        events={ListedObject(name=NAMES.amended(one), generation=1): one for one in named},
        fold=None,
        listed_ms=2,
        listed_s=2.0,
    )


def test_names_alone_tell_what_was_amended() -> None:
    known = Amendments(withdrawn=frozenset({"m1"}), edited_ms={"m2": 1}, members={"member-1": 1})
    new = (("edit", "m3"), ("withdrawal", "m4"), ("plan", "m5"), ("member", "member-2"))

    assert listing_of(known, *new).amended_ids == {"m1", "m2", "m3", "m4", "member-1", "member-2"}
    assert listing_of(None, *new).amended_ids == {"m3", "m4", "member-2"}


def test_names_alone_tell_up_to_when_a_chat_is_erased() -> None:
    new = (("withdrawal", "99"), ("erasure", "5"), ("reset", "7"), ("erasure", "by-hand"))

    assert listing_of(None).erased_ms == -1
    assert listing_of(None, *new).erased_ms == 7
    assert listing_of(None, ("erasure", "8"), *new).erased_ms == 8
    assert listing_of(Amendments(erased_ms=9), *new).erased_ms == 9
