from dataclasses import replace

from shared.agent.retellings import RetoldMessage, messages_in_prompt, retellings_in_prompt, sources_beyond_memory
from shared.conversation.amendments import Amendments
from shared.conversation.history import History, IndexRow, IndexView
from shared.conversation.member_mark import mark_id
from shared.conversation.provenance import Provenance, Source
from shared.conversation.recollection import Recollection
from shared.conversation.records import MessageRecord, Offer, OutcomeKind, OutcomeRecord
from shared.conversation.snapshot_records import Recap
from tests.support.chats import made_of, made_with
from tests.support.knowledge import message


def quoting(number: int, quoted_id: str) -> MessageRecord:
    return MessageRecord(
        line_message_id=f"m{number}",
        webhook_event_id=f"e{number}",
        timestamp_ms=number * 1_000,
        type="text",
        addressed=True,
        text="これ覚えて",
        quoted_message_id=quoted_id,
    )


def answer(number: int, text: str | None, *, covers: tuple[str, ...] = (), saw: tuple[str, ...] = ()) -> OutcomeRecord:
    return OutcomeRecord(
        webhook_event_id=f"e{number}",
        timestamp_ms=number * 1_000,
        kind=OutcomeKind.REPLIED,
        text=text,
        sent_message_ids=(f"b{number}",),
        answered_ids=covers or (f"m{number}",),
        provenance=made_of(*(covers or (f"m{number}",)), *saw, since_ms=number * 1_000, until_ms=number * 1_000),
    )


def test_a_prompt_holds_the_messages_that_it_shows_and_what_they_quote() -> None:
    history = History(older=(message(1, "古い"), message(2, "別件")), messages=(quoting(5, "m1"),))

    assert [one.line_message_id for one in messages_in_prompt(history, (quoting(6, "m2"),))] == ["m1", "m2", "m5"]


def test_a_prompt_retells_by_its_answers_recaps_and_quoted_answers() -> None:
    recap = Recap(
        id="r0",
        text="庭の話",
        timestamp_ms=1_000,
        summed_up_ids=("m1",),
        provenance=made_of("m1", since_ms=1_000, until_ms=1_000),
    )
    history = History(
        recaps=(recap,),
        outcomes=(answer(2, "古い答え"), answer(4, "答え"), answer(5, None)),
        messages=(message(4, "問い"),),
        shown_since_ms=4_000,
    )

    told = retellings_in_prompt(history, (quoting(6, "b2"),))

    assert [one.text for one in told] == ["庭の話", "古い答え", "答え"]


def test_a_prompt_retells_by_the_rows_of_its_blocks() -> None:
    provenance = Provenance.of_sources([Source(line_message_id="m1", timestamp_ms=1_000, by="member-1")])
    row = IndexRow(mark="row-1", handle="r1", words="庭の水やり", text="r1 | 庭の水やり", provenance=provenance)
    history = History(blocks=(IndexView(text=row.text, provenance=provenance, rows=(row,)),))

    (told,) = retellings_in_prompt(history, ())

    assert told.text == "庭の水やり"
    assert told.messages == (RetoldMessage(line_message_id="m1", words_ms=1_000, by="member-1"),)


def test_a_retelling_names_covered_messages_and_known_ones_that_its_prompt_held() -> None:
    history = History(
        messages=(message(1, "鍵は窓際"), message(2, "どこ？")),
        outcomes=(answer(2, "窓際です", saw=("m1", "m2", "gone")),),
    )

    (told,) = retellings_in_prompt(history, ())

    assert told.messages == (
        RetoldMessage(line_message_id="m2", words_ms=2_000, text="どこ？"),
        RetoldMessage(line_message_id="m1", words_ms=1_000, text="鍵は窓際", is_covered=False),
    )


def test_a_retelling_names_messages_that_are_hidden_because_workers_died() -> None:
    told_before = answer(2, "窓際です", saw=("m1",))
    history = History(
        hidden=(message(1, "鍵は窓際"), message(2, "どこ？")),
        messages=(message(5, "ここまでのまとめ"),),
        outcomes=(told_before, answer(5, "はい")),
        shown_since_ms=5_000,
    )

    told = {one.text: one for one in retellings_in_prompt(history, (quoting(6, "b2"),))}

    assert (
        RetoldMessage(line_message_id="m1", words_ms=1_000, text="鍵は窓際", is_covered=False)
        in told["窓際です"].messages
    )
    assert not sources_beyond_memory(history, (quoting(6, "b2"),), Recollection()).message_ids


def test_a_late_answer_is_about_the_question_before_the_press_that_got_it() -> None:
    deferral = replace(answer(1, "考え中"), kind=OutcomeKind.DEFERRED, answers=("e1",), offer=Offer(is_deferral=True))
    late = replace(answer(2, "窓際です", saw=("m1",)), answers=("e1",))
    history = History(messages=(message(1, "鍵はどこ？"), message(2, "")), outcomes=(deferral, late))

    told = retellings_in_prompt(history, ())[-1]

    assert {one.line_message_id for one in told.messages if one.is_covered} == {"m1", "m2"}


def test_a_retelling_tells_who_sent_its_messages_also_one_that_is_not_kept() -> None:
    yuki, kenji = "U" + "1" * 32, mark_id("U" + "2" * 32)
    said = answer(2, "窓際です", covers=("gone", "m2"), saw=("m1",))
    sources = (
        Source(line_message_id="gone", timestamp_ms=1, by=kenji),
        Source(line_message_id="m2", timestamp_ms=2, by="member-other"),
    )
    history = History(
        messages=(replace(message(1, "鍵は窓際"), user_id=yuki), replace(message(2, "どこ？"), user_id=None)),
        outcomes=(replace(said, provenance=said.provenance | Provenance.of_sources(sources)),),
    )

    (told,) = retellings_in_prompt(history, ())

    by = {one.line_message_id: one.by for one in told.messages}
    assert by == {"m1": mark_id(yuki), "m2": "member-other", "gone": kenji}


def test_a_covered_message_that_is_not_kept_has_a_timestamp_and_no_words() -> None:
    history = History(
        outcomes=(answer(9, "はい", covers=("m1", "m2", "m3")),),
        amendments=Amendments(edited_ms={"m2": 9_500}),
    )

    (told,) = retellings_in_prompt(history, ())

    assert [(one.words_ms, one.text) for one in told.messages] == [(9_000, None), (9_500, None), (9_000, None)]


def test_a_retelling_covers_the_picture_that_its_question_quotes() -> None:
    picture = MessageRecord(
        line_message_id="m1", webhook_event_id="e1", timestamp_ms=1_000, type="image", addressed=False, text="[image]"
    )
    history = History(messages=(picture, quoting(2, "m1")), outcomes=(answer(2, "レシートです"),))

    (told,) = retellings_in_prompt(history, ())

    assert RetoldMessage(line_message_id="m1", words_ms=1_000, text=None) in told.messages


def test_a_retelling_covers_what_the_answer_answered_that_its_question_quotes() -> None:
    history = History(
        messages=(message(2, "鍵は窓際"), quoting(6, "b2")),
        outcomes=(answer(2, "覚えました"), answer(6, "窓際です")),
    )

    told = {one.text: one for one in retellings_in_prompt(history, ())}

    assert [one.line_message_id for one in told["窓際です"].messages if one.is_covered] == ["m2", "m6"]


def test_an_answer_without_words_retells_nothing() -> None:
    assert retellings_in_prompt(History(), (), Recollection(answers=(answer(5, None),))) == ()


def test_a_recap_retells_what_the_answers_had_read_that_it_sums_up() -> None:
    recap = Recap(
        id="recap-1",
        text="宿は湖畔",
        timestamp_ms=5_000,
        summed_up_ids=("m5",),
        provenance=made_of("m5", "e5", since_ms=5_000, until_ms=5_000),
    )
    summed_up = made_with(answer(5, "湖畔の宿です", saw=("old1",)), since_ms=1_000)
    history = History(
        older=(message(5, "宿は？"),),
        messages=(message(8, "覚えて"),),
        recaps=(recap,),
        outcomes=(summed_up,),
        shown_since_ms=8_000,
    )

    wanted = sources_beyond_memory(history, (), Recollection())
    (told,) = retellings_in_prompt(history, (), beyond_memory=[replace(message(1, "宿は湖畔"), line_message_id="old1")])

    assert ("old1" in wanted.ids, wanted.since_ms, wanted.until_ms) == (True, 1_000, 5_000)
    assert RetoldMessage(line_message_id="old1", words_ms=1_000, text="宿は湖畔", is_covered=False) in told.messages


def test_a_retelling_names_what_is_behind_answers_and_recaps_that_left_the_prompt() -> None:
    passed = Recap(
        id="recap-1",
        text="宿は湖畔",
        timestamp_ms=1_500,
        summed_up_ids=("old1",),
        provenance=made_of("old1", since_ms=1_000, until_ms=1_500),
    )
    history = History(
        messages=(message(8, "もう一度"), message(9, "覚えて")),
        unshown_recaps=(passed,),
        outcomes=(
            made_with(answer(3, "湖畔の宿", saw=("recap-1",)), since_ms=1_500),
            made_with(answer(5, "湖畔の宿ですね", saw=("e3",)), since_ms=3_000),
            made_with(answer(8, "湖畔の宿です", saw=("e5",)), since_ms=5_000),
        ),
        shown_since_ms=8_000,
    )

    wanted = sources_beyond_memory(history, (), Recollection())
    (told,) = retellings_in_prompt(history, (), beyond_memory=[replace(message(1, "宿は湖畔"), line_message_id="old1")])

    assert ("old1" in wanted.message_ids, wanted.since_ms) == (True, 1_000)
    assert RetoldMessage(line_message_id="old1", words_ms=1_000, text="宿は湖畔", is_covered=False) in told.messages


def test_nothing_is_wanted_beyond_memory_where_memory_holds_all_that_was_read() -> None:
    history = History(messages=(message(1, "鍵は窓際"), message(2, "どこ？")))
    seen = made_with(answer(2, "窓際です", saw=("m1", "entry-source")), since_ms=1_000)

    assert not sources_beyond_memory(replace(history, outcomes=(seen,)), (), Recollection()).ids
    further = replace(history, outcomes=(made_with(seen, since_ms=999),))
    assert sources_beyond_memory(further, (), Recollection(messages=(message(0, "別件"),))).ids
