"""When the person who asks spoke before, and which member a name means."""

from dataclasses import replace

import pytest

from shared.agent.recall_request import Record, UnknownNameError, last_spoken_ms, records_by
from shared.agent.recalled import Recalled
from shared.conversation.recollection import Recollection
from shared.conversation.records import MessageRecord
from tests.support.chats import answer, message

YUKI, KEN, KENJI = "U1", "U2", "U3"
NAMES = {YUKI: "Yuki", KEN: "Ken", KENJI: "Kenji"}
VISIT_MS = 120_000
ASKED_MS = 1_000_000


def said(number: int, *, by: str | None, at_ms: int = 0) -> MessageRecord:
    return replace(message(number, timestamp_ms=at_ms), user_id=by)


@pytest.mark.parametrize(
    ("messages", "by", "spoken_ms"),
    [
        ([said(1, by=YUKI, at_ms=5), said(2, by=YUKI, at_ms=7), said(3, by=KEN, at_ms=9)], YUKI, 7),
        ([said(1, by=YUKI, at_ms=ASKED_MS - VISIT_MS), said(2, by=YUKI, at_ms=ASKED_MS - VISIT_MS - 1)], YUKI, 879_999),
        ([said(1, by=YUKI, at_ms=ASKED_MS - VISIT_MS)], YUKI, None),
        ([said(1, by=None, at_ms=5)], None, None),
        ([], YUKI, None),
    ],
)
def test_who_asks_spoke_before_their_visit(
    messages: list[MessageRecord], by: str | None, spoken_ms: int | None
) -> None:
    asked = said(9, by=by, at_ms=ASKED_MS)

    assert last_spoken_ms(Recollection.of(messages), [asked]) == spoken_ms


@pytest.mark.parametrize(("asking", "spoken_ms"), [((YUKI, KEN), 5), ((YUKI, KENJI), None)])
def test_of_several_who_ask_the_one_counts_who_has_been_silent_longest(
    asking: tuple[str, ...], spoken_ms: int | None
) -> None:
    spoken = Recollection.of([said(1, by=YUKI, at_ms=7), said(2, by=KEN, at_ms=5)])
    asked = [said(8 + place, by=one, at_ms=ASKED_MS) for place, one in enumerate(asking)]

    assert last_spoken_ms(spoken, asked) == spoken_ms


RECORDS: list[Record] = [said(1, by=YUKI), answer(1), said(2, by=KEN), said(3, by=KENJI)]


@pytest.mark.parametrize(
    ("who", "found"),
    [
        ("Ken", [2]),
        ("kenj", [3]),
        ("Yuki", [0]),
        ("yu", [0]),
        ("you", [1]),
        ("Momo", [1]),
    ],
)
def test_a_name_means_the_member_who_has_it_or_the_only_one_whose_name_holds_it(who: str, found: list[int]) -> None:
    assert records_by(RECORDS, who, NAMES, bot_names=("Momo",)) == [RECORDS[index] for index in found]


@pytest.mark.parametrize(
    ("who", "names", "known"),
    [
        ("ke", NAMES, ("Ken", "Kenji")),
        ("Hana", NAMES, ("Ken", "Kenji", "Yuki")),
        (" ", {YUKI: "Yuki"}, ("Yuki",)),
        ("Hana", {}, ()),
    ],
)
def test_a_name_of_nobody_or_of_several_is_answered_with_the_names_that_there_are(
    who: str, names: dict[str, str], known: tuple[str, ...]
) -> None:
    with pytest.raises(UnknownNameError) as raised:
        records_by(RECORDS, who, names, bot_names=())

    assert raised.value.member_names == known


def test_a_turn_that_was_shown_a_stretch_of_time_stays_one() -> None:
    recalled = Recalled()
    first, second = Recollection.of([message(1)]), Recollection.of([message(2)])

    told = []
    for shown, is_stretch in ((first, False), (second, True), (first, False)):
        recalled.add(shown, is_stretch=is_stretch)
        told.append(recalled.is_stretch)

    assert told == [False, True, True]
    assert recalled.shown.messages == (message(1), message(2))
