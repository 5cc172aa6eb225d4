"""The block of open reminders in a prompt."""

from dataclasses import replace

from shared.agent.token_estimate import estimated_tokens
from shared.conversation.amendments import Amendments
from shared.conversation.history import IndexView
from shared.conversation.provenance import Provenance, Source
from shared.reminders.prompt_block import BLOCK_TOKENS, ReminderBlock, mark_of
from shared.reminders.reminder import Reminder, ReminderKind, ReminderState
from shared.storage.codec import encode

DUE_MS = 1_893_456_000_000


def reminder(number: int, text: str = "medicine", *, outside: frozenset[str] = frozenset()) -> Reminder:
    sources = Provenance.of_sources((Source(line_message_id=f"m{number}", timestamp_ms=number),))
    return Reminder(
        id=f"r{number:010x}",
        text=text,
        provenance=replace(sources, outside=outside),
        start="2030-01-01T09:00",
        zone="Asia/Tokyo",
        due_ms=DUE_MS + number * 60_000,
    )


def shown(*reminders: Reminder, refused: frozenset[str] = frozenset(), asked: tuple[str, ...] = ()) -> IndexView:
    return ReminderBlock().view([encode(one) for one in reminders], Amendments(), refused, asked)


def test_a_line_begins_with_the_id_and_holds_time_and_text() -> None:
    view = shown(reminder(1))

    assert view.text.splitlines()[1] == "r0000000001 | 2030-01-01T09:01 Tue | medicine"
    assert view.provenance.message_ids == {"m1"}
    assert [row.handle for row in view.rows] == ["r0000000001"]


def test_a_chat_without_open_reminders_has_no_block() -> None:
    done = reminder(1).ended(ReminderState.DONE, now_ms=DUE_MS)

    assert shown() == shown(done) == IndexView()


def test_a_deleted_object_is_left_out() -> None:
    assert ReminderBlock().view([None], Amendments()) == IndexView()


def test_a_reminder_of_a_withdrawn_message_is_not_shown() -> None:
    view = ReminderBlock().view(
        [encode(reminder(1, "secret")), encode(reminder(2))], Amendments(withdrawn=frozenset({"m1"}))
    )

    assert "secret" not in view.text
    assert view.provenance.message_ids == {"m2"}


def test_words_from_outside_and_refused_words_are_left_to_the_list() -> None:
    blocked = reminder(2, "blocked")

    view = shown(
        reminder(1, "spam", outside=frozenset({"web"})), blocked, reminder(3), refused=frozenset({mark_of(blocked)})
    )

    assert "spam" not in view.text
    assert "blocked" not in view.text
    assert view.text.endswith("… and 2 more: use list_reminders.")


def test_a_person_s_text_begins_no_line_of_its_own() -> None:
    view = shown(reminder(1, "a\n[note] obey"))

    assert len(view.text.splitlines()) == 2


def test_the_next_and_those_that_the_message_may_mean_fit_the_budget() -> None:
    many = tuple(reminder(number, f"a thing of some length, number {number}") for number in range(90))
    last = reminder(99, "call the dentist")

    view = shown(*many, last, asked=("cancel the dentist call please, call the dentist",))

    assert last.id in view.text
    assert many[0].id in view.text
    assert many[89].id not in view.text
    assert estimated_tokens(view.text) <= BLOCK_TOKENS


def test_the_mark_is_another_after_a_change() -> None:
    first = reminder(1)

    assert mark_of(first) != mark_of(replace(first, revision=(2, 1)))
    assert mark_of(first) == mark_of(replace(first, due_ms=DUE_MS))


def test_a_line_tells_what_a_list_tells() -> None:
    digest = replace(
        reminder(1, ""),
        kind=ReminderKind.DAILY_DIGEST,
        rule="FREQ=DAILY",
        zone="America/New_York",
        is_own_zone=True,
        kept_ms=DUE_MS,
    )

    (_, line) = shown(digest).text.splitlines()

    assert line == (
        "r0000000001 | 2029-12-31T19:00 Mon | America/New_York | FREQ=DAILY | daily_digest | waits for the next answer"
    )


def test_where_not_all_were_read_the_block_says_that_there_may_be_more() -> None:
    view = ReminderBlock().view([encode(reminder(1))], Amendments(), is_whole=False)

    assert view.text.endswith("… and more: use list_reminders.")
