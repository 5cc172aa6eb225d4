from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.agent.retellings import Retelling, RetoldMessage
from shared.conversation.member_mark import mark_id
from shared.conversation.provenance import Provenance, Source
from shared.knowledge.catalog import Row, row_of
from shared.knowledge.entry import Entry, Note
from shared.knowledge.provenance import PossibleSources
from shared.knowledge.schema import Category, Value
from tests.support.chats import made_of
from tests.support.knowledge import message


def source_ids(text: str, answering: list[str], earlier: list[str] | None = None) -> list[str]:
    to_answer = [message(number, said) for number, said in enumerate(answering, start=1)]
    before = [message(number, said) for number, said in enumerate(earlier or [], start=101)]
    possible = PossibleSources(to_answer=tuple(to_answer), earlier=tuple(before))
    return [one.line_message_id for one in possible.of(text)]


def test_a_text_inside_one_message_came_from_that_message_alone() -> None:
    assert source_ids("牛乳を買う", ["番号は4711", "あと牛乳を買う、よろしく"]) == ["m2"]


def test_a_rephrased_text_came_from_every_answered_message() -> None:
    assert source_ids("Dentist tomorrow at three", ["明日3時", "歯医者"]) == ["m1", "m2"]


@pytest.mark.parametrize(
    ("text", "earlier", "is_shared"),
    [
        ("駐輪場の暗証番号は9", "駐輪場の暗証番号を決めた", True),
        ("the number is 4711", "4711だよ", True),
        ("暗証番号 4711", "my PIN is 4711", True),
        ("カードは8822", "4711と8822だよ", True),
        ("暗証番号 1987", "PINは1987", True),
        ("電話は09012345678", "佐藤さんの新しい電話番号が決まったそうで、090-1234-5678だって", True),
        ("会員番号483920", "昨日やっと届いた会員カードの番号を見たら483920だった、覚えやすい", True),
        ("2026年の予定", "2026年", False),
        ("締切は2026-12-01", "2026-12-01 雨", False),
        ("締切は2026/12/01", "12/01/2026 雨", False),
        ("会費は4500円", "4500円だった", False),
        ("会費は¥4500", "$4500", False),
        ("会費は1,200,000円", "1200000円だった", False),
        ("15:30:00に集合", "15:30", False),
        ("暗証番号 4711", "自転車置き場のカギを新しくしたので、番号は4711になりました、よろしく", True),
        ("暗証番号 1987", "駅前の店は1987という香水を、改装のあとでもまだ店先に置いていたらしい", False),
        ("暗証番号 4711", "1111 2222 3333 4444 4711 5555 6666", False),
        ("暗証番号 4711", "๔๗๑๑", True),
        ("wednesday with sato", "on wednesday with nobody", True),
        ("tomorrow at noon", "see you tomorrow", False),
        ("来週の月曜から", "来週は雨", False),
        ("1 abcdefghijkl 2", "3-abcdefghijkl-4", True),  # twelve characters
        ("1 abcdefghijk 2", "3-abcdefghijk-4", False),
        ("call me at noon", "see you at noon", False),
        ("", "anything", False),
    ],
)
def test_an_earlier_message_with_a_shared_run_or_number_counts(text: str, earlier: str, *, is_shared: bool) -> None:
    assert ("m101" in source_ids(text, ["覚えて"], [earlier])) is is_shared


def retold(number: int, text: str | None = None, *, is_covered: bool = True) -> RetoldMessage:
    return RetoldMessage(line_message_id=f"m{number}", words_ms=number * 1_000, text=text, is_covered=is_covered)


def ids(possible: PossibleSources, text: str) -> list[str]:
    return [one.line_message_id for one in possible.of(text)]


def test_a_quoted_message_is_a_source_unless_one_message_holds_the_whole_text() -> None:
    quoting = replace(message(5, "これ覚えて"), quoted_message_id="m1")
    possible = PossibleSources(to_answer=(quoting,), earlier=(message(1, "[image]"), message(2, "雨だね")))

    assert ids(possible, "レシート 合計") == ["m5", "m1"]
    assert ids(possible, "覚えて") == ["m5"]


def test_a_text_that_repeats_an_answer_came_from_what_the_answer_provably_repeats() -> None:
    told = Retelling(
        text="鍵は窓際の青い箱の中です",
        messages=(retold(1, "窓際の青い箱の中に置いた", is_covered=False), retold(2, "鍵どこ？")),
    )
    possible = PossibleSources(to_answer=(message(5, "今の覚えて"),), retellings=(told,))

    assert ids(possible, "鍵: 窓際の青い箱の中") == ["m5", "m1"]
    assert ids(possible, "鍵のこと") == ["m5"]


def test_a_source_tells_who_sent_the_message() -> None:
    told = Retelling(text="鍵は窓際の青い箱の中です", messages=(replace(retold(1, "窓際の青い箱の中"), by="member-1"),))
    asked = replace(message(5, "今の覚えて"), user_id="U" + "5" * 32)
    earlier = replace(message(4, "窓際の青い箱だよ"), user_id=None)
    possible = PossibleSources(to_answer=(asked,), earlier=(earlier,), retellings=(told,))

    by = {one.line_message_id: one.by for one in possible.of("鍵: 窓際の青い箱の中")}

    assert by == {"m5": mark_id("U" + "5" * 32), "m4": "", "m1": "member-1"}


def test_a_text_that_repeats_an_answer_came_from_what_it_covers_where_nothing_is_proven() -> None:
    told = Retelling(
        text="合計は千二百円でした", messages=(retold(1), retold(2, "これいくら？"), retold(3, "雨", is_covered=False))
    )
    possible = PossibleSources(to_answer=(message(5, "今の覚えて"),), retellings=(told,))

    assert ids(possible, "昼食、合計は千二百円") == ["m5", "m1"]  # m2 is known, and says nothing of it
    known = replace(told, messages=(retold(1, "いくら？"), retold(2, "ねえ")))
    assert ids(replace(possible, retellings=(known,)), "昼食、合計は千二百円") == ["m5", "m1", "m2"]


def test_a_text_that_repeats_an_answer_without_a_shared_run_is_traced_where_it_is_quoted() -> None:
    told = Retelling(text="窓際です", messages=(retold(1),), sent_message_ids=("b1",))
    quoting = replace(message(5, "これ覚えて"), quoted_message_id="b1")

    assert ids(PossibleSources(to_answer=(quoting,), retellings=(told,)), "鍵は窓際") == ["m5", "m1"]


def test_a_number_that_the_answered_message_says_itself_has_no_earlier_source() -> None:
    assert source_ids("大会は4711人", ["来た人は4711人だった"], ["4711"]) == ["m1"]


def test_a_long_number_that_the_answered_message_says_itself_has_no_earlier_source() -> None:
    assert source_ids("会員番号は483920", ["483920で覚えて"], ["483920"]) == ["m1"]
    assert source_ids("会員番号は483920", ["覚えて"], ["483920"]) == ["m1", "m101"]


BAIT = (
    "よろしくお願いします。来週の月曜から。会議の資料を。覚えておいて。本社の会議は2026-12-01。"
    "please remember to pay the rent by 4711-1234"
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("来週の月曜から庭の工事", "来週の月曜から庭の工事、覚えておいて"),
        ("会議の資料を先方に送る。", "会議の資料を先方に送る、よろしくお願いします"),
        ("会議の資料を先方に送る", "会議の資料は先方に送って、覚えておいて"),  # one kana is not of the message
        ("rent: please remember to pay the rent by the 30th", "please remember to pay the rent by the 30th"),
        ("暗証番号: 4711-1234", "アパートの暗証番号は 4711-1234"),
    ],
)
def test_a_message_that_holds_the_words_is_their_source_and_common_words_of_others_are_none(
    text: str, said: str
) -> None:
    assert source_ids(text, [said], [BAIT]) == ["m1"]
    assert source_ids(text, ["それを"], [BAIT]) == ["m1", "m101"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("来週の月曜から庭の工事", "来週の月曜から庭の工事"),
        ("本社の会議は2026-12-01、資料は先方", "本社の会議は2026-12-01、資料は先方だって"),
        ("暗証番号: 4711-1234", "アパートの暗証番号は 4711-1234"),
    ],
)
def test_an_earlier_message_that_holds_the_words_is_their_source_and_common_words_of_others_are_none(
    text: str, said: str
) -> None:
    assert source_ids(text, ["それを"], [BAIT, said]) == ["m1", "m102"]


@pytest.mark.parametrize(
    ("text", "said", "earlier"),
    [
        ("暗証番号は四七一一", "暗証番号は何だっけ、覚えて", "暗証番号は四七一一だよ"),
        ("好きな人はゆみ", "好きな人は誰だっけ、覚えて", "好きな人はゆみなんだ"),
        ("犯人の名前は妻", "犯人の名前は、覚えて", "犯人の名前は妻だった"),
        ("my blood type is AB", "remember my blood type is", "my blood type is AB, I think"),
        ("ken loves hana", "hana loves ken, remember it", "ken loves hana so much"),
        ("会員番号は 483920-55", "会員番号は、覚えて", "483920-55"),
    ],
)
def test_what_the_answered_message_does_not_hold_came_from_the_earlier_one_too(
    text: str, said: str, earlier: str
) -> None:
    assert source_ids(text, [said], [earlier]) == ["m1", "m101"]


def test_of_two_earlier_messages_the_second_counts_only_for_what_the_first_does_not_hold() -> None:
    whole, part, rest = "鍵は窓際の青い箱の中です", "窓際の青い箱の中かな", "鍵は窓際にあるらしい"

    assert source_ids("鍵は窓際の青い箱の中", ["覚えて"], [part, whole]) == ["m1", "m102"]
    assert source_ids("鍵は窓際の青い箱の中", ["覚えて"], [whole, whole]) == ["m1", "m101"]
    two = "鍵は窓際の青い箱の中、鍵は窓際にあるらしい"
    assert source_ids(two, ["覚えて"], [rest, part, whole]) == ["m1", "m101", "m102"]


def test_a_retelling_counts_only_for_what_no_message_holds() -> None:
    told = Retelling(text="鍵は窓際の青い箱の中です", messages=(retold(1), retold(2, "鍵どこ？")))
    earlier = message(4, "窓際の青い箱の中だね")

    assert ids(
        PossibleSources(to_answer=(message(5, "覚えて"),), earlier=(earlier,), retellings=(told,)), "窓際の青い箱の中"
    ) == [
        "m5",
        "m4",
    ]
    assert ids(PossibleSources(to_answer=(message(5, "覚えて"),), retellings=(told,)), "窓際の青い箱の中") == [
        "m5",
        "m1",
    ]


@pytest.mark.parametrize(
    ("old", "new", "said", "is_repeated"),
    [
        ("milk", "sugar, milk", "sugar too", True),
        ("milk", "sugar, milk", "sugar, milk", False),
        ("milk", "sugar and also milk", "milk and sugar", False),
        ("call 090-1234-5678", "the number is 090-1234-5678", "a number", True),
        ("call 090-1234-5678", "the number is 090-1234-5678", "call 090-1234-5678 today", False),
        ("under the third flower pot", "key: the third flower pot", "keep that", True),
        ("under the third flower pot", "key: the third flower pot", "it is at the third flower pot", False),
        ("", "anything", "hi", False),
    ],
)
def test_a_new_value_repeats_of_the_old_one_only_what_the_person_does_not_say(
    old: str, new: str, said: str, *, is_repeated: bool
) -> None:
    assert PossibleSources(to_answer=(message(1, said),)).repeats_unsaid(old, new) is is_repeated


def test_a_value_that_an_earlier_message_holds_is_not_from_the_entry_that_says_the_same() -> None:
    rows = [row("庭の柵を直す業者", 1)]
    asked = (message(5, "それを"),)

    earlier = (message(4, "庭の柵を直す業者は佐藤さん"),)
    for possible, expected in [
        (PossibleSources(to_answer=asked), ["m1"]),
        (PossibleSources(to_answer=asked, earlier=earlier), []),
    ]:
        found = possible.of_entries("庭の柵を直す業者は佐藤さん", rows, read_ids=frozenset())
        assert [one.line_message_id for one in found] == expected


@given(st.text(max_size=40), st.lists(st.text(max_size=40), min_size=1, max_size=3))
def test_a_text_always_has_an_answered_message_as_source(text: str, answering: list[str]) -> None:
    assert source_ids(text, answering)


@given(st.text(min_size=1, max_size=30).filter(str.strip), st.text(max_size=10), st.text(max_size=10))
def test_a_text_repeats_any_text_inside_it(text: str, before: str, after: str) -> None:
    assert PossibleSources().repeats_unsaid(text, f"{before} {text.strip()} {after}") or not text.strip()


def row(name: str, number: int, *, slug: str = "x", note: str = "", **fields: str) -> Row:
    """Return the row of an entry that came from message `m{number}`."""
    blank = Entry(
        category=Category.PROJECTS,
        slug=slug,
        id=slug,
        created_at="2026-11-20T10:00:00+09:00",
        updated_at="2026-11-20T10:00:00+09:00",
        confidence=0.9,
        fields={"name": name, **fields},
        notes=(Note(text=note),) if note else (),
        provenance=Provenance.of_sources((Source(line_message_id=f"m{number}", timestamp_ms=number),)),
    )
    return row_of(blank)


RUN = "under the third flower pot"


@pytest.mark.parametrize(
    ("value", "said", "read", "expected"),
    [
        ("Garden Fence", "hi", (), ["m1"]),
        ("garden-fence", "hi", (), ["m1"]),  # its slug
        ("about the garden fence", "hi", (), ["m1"]),
        ("Paint", "hi", (), ["m2"]),
        ("the paint is red", "hi", (), []),  # a short name stands in other words by chance
        (("sugar", "Paint"), "hi", (), ["m2"]),
        (("sugar", "milk"), "hi", (), []),
        (None, "hi", (), []),
        ("", "hi", (), []),
        ((), "hi", (), []),
        ("garden-fence", "see garden-fence", (), []),
        ("Garden Fence", "the garden fence is done", (), []),  # said by the message that is answered
        (("Garden Fence", "Paint"), "the garden fence is done", (), ["m2"]),
        ("red paint for the garden fence", "the garden fence is done", (), []),
        (f"the key is {RUN}", "hi", (), ["m3"]),
        (f"the key is {RUN}", f"it is {RUN}", (), []),
        ("it stays there until next thursday", "hi", (), []),  # in a note, which tables do not show
        ("it stays there until next thursday", "hi", ("m3", "m9"), ["m3"]),
        ("it stays there until next thursday", "hi", ("m1",), []),
    ],
)
def test_a_value_came_from_the_entries_that_it_names_or_repeats(
    value: Value, said: str, read: tuple[str, ...], expected: list[str]
) -> None:
    rows = [
        row("Garden fence", 1, slug="garden-fence"),
        row("Paint", 2),
        row("Key", 3, next_action=f"look {RUN}", note="it stays there until next thursday"),
    ]
    possible = PossibleSources(to_answer=(message(8, "ok"), message(9, said)))

    found = possible.of_entries(value, rows, read_ids=frozenset(read))

    assert [one.line_message_id for one in found] == expected


@pytest.mark.parametrize(("told", "is_source"), [("say blue heron 4711", True), ("say nothing", False)])
def test_a_value_may_repeat_an_entry_that_an_answer_had_read_and_that_the_value_may_repeat(
    told: str, *, is_source: bool
) -> None:
    possible = PossibleSources(retellings=(Retelling(text=told, messages=(), provenance=made_of("m1")),))
    rows = [replace(row("gate", 1), folded={"content": "blue heron 4711"})]

    assert bool(possible.of_entries("blue heron 4711", rows, read_ids=frozenset())) is is_source


@pytest.mark.parametrize(
    ("name", "is_held"), [("abcdefghi", True), ("abcdefgh", False), ("庭の柵", True), ("庭柵", False)]
)
def test_a_name_of_nine_bytes_is_found_inside_a_value(name: str, *, is_held: bool) -> None:
    found = PossibleSources().of_entries(f"see {name} there", [row(name, 1)], read_ids=frozenset())

    assert bool(found) is is_held
