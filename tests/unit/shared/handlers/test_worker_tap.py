"""Changes that wait for a person's tap: carried out exactly as they were shown, once, within ten minutes, by members of the chat."""

import datetime as dt
import re
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import pytest

from shared.access.budgets import Limits
from shared.adapters.memory.scripted_model import Step, calling
from shared.agent.model import ModelRequest, ModelResponse
from shared.agent.proposals import MOST_PROPOSED
from shared.conversation.records import MessageRecord
from shared.line.messaging import ReplyToken
from shared.line.phrases import Phrase
from shared.reminders.store import ReminderStore
from tests.support import recorded
from tests.support.people import ChatEvents, Person
from tests.support.phrases import english, japanese
from tests.support.tainted_chat import DELETES, ENTRY, NOTES, NOTING, READS, REPLY, UNDOES, TaintedChat, creating

STRANGER: Final = "U" + "e" * 32


@pytest.fixture
def chat(pool: ThreadPoolExecutor) -> TaintedChat:
    return TaintedChat(pool)


def waiting_record(event: dict[str, Any]) -> MessageRecord:
    """Return the record that another delivery keeps of a text."""
    return MessageRecord(
        line_message_id=event["message"]["id"],
        webhook_event_id=event["webhookEventId"],
        timestamp_ms=event["timestamp"],
        type="text",
        addressed=True,
        text=event["message"]["text"],
        reply_token=ReplyToken(value=event["replyToken"], received_ms=event["timestamp"]),
    )


def test_what_a_tap_would_do_is_written_by_the_code(chat: TaintedChat) -> None:
    asked = chat.asks(DELETES, creating(数量=2))

    assert chat.text_of(asked) == (
        "shall I?\n\n☐ Delete “lunch” (ideas/lunch.md)\n☐ Add to Notion: “spam”\n     database: shopping\n     数量: 2"
    )
    assert chat.has_entry
    assert chat.notion.pages == ()
    *_, last = chat.worker.line.replied[asked["replyToken"]]
    changes = "☐ Delete “lunch” (ideas/lunch.md)\n☐ Add to Notion: “spam”\n     database: shopping\n     数量: 2"
    assert last.text == f"{changes}\n\n{english(Phrase.CHANGE_QUESTION, until='13:50')}"
    assert last.button is not None
    assert last.button.label == english(Phrase.CHANGE_BUTTON)
    assert last.decline is not None
    assert last.decline.label == english(Phrase.DECLINE_BUTTON)


def test_a_fact_is_forgotten_by_a_tap_as_an_entry_is_deleted(chat: TaintedChat) -> None:
    asked = chat.asks(calling(("forget_fact", {"path": ENTRY, "fact": "lunch"})))

    assert chat.text_of(asked) == "shall I?\n\n☐ Forget in “lunch” (ideas/lunch.md)"
    assert chat.has_entry

    assert chat.text_of(chat.press()).splitlines()[0] == "✓ Deleted: “lunch”"
    assert not chat.has_entry


def test_a_press_on_a_forgotten_fact_asks_for_the_messages_behind_it(chat: TaintedChat) -> None:
    chat.asks(calling(("forget_fact", {"path": ENTRY, "fact": "lunch"})))

    pressed = chat.press()

    assert "1. " in chat.sent_for(pressed)
    assert chat.holds("lunch")
    chat.press()
    assert not chat.holds("lunch")


@pytest.mark.parametrize("fact", ["dinner", " "])
def test_a_fact_that_is_not_there_is_not_proposed(chat: TaintedChat, fact: str) -> None:
    asked = chat.asks(calling(("forget_fact", {"path": ENTRY, "fact": fact})))

    assert chat.text_of(asked) == "shall I?"


def test_the_longest_answer_leaves_room_for_what_was_done_and_for_what_a_tap_would_do(chat: TaintedChat) -> None:
    catches_up, talks = calling(("recall", {})), calling(("reply", {"message": "words " * 800}))

    asked = chat.person.says("what did I miss?", READS, catches_up, DELETES, creating(), talks)
    noted = chat.person.says("and add at noon to lunch", catches_up, NOTES, talks)

    assert chat.sent_for(asked).endswith(
        "words… (There is more.) ☐ Delete “lunch” (ideas/lunch.md) ☐ Add to Notion: “spam” database: shopping "
        + english(Phrase.CHANGE_QUESTION, until="13:50")
    )
    assert chat.sent_for(noted).endswith("words… (There is more.) ✓ Changed: “lunch” (ideas)")


def test_the_question_is_in_the_language_of_the_line_that_it_asks_about(chat: TaintedChat) -> None:
    asked = chat.person.says("ページを見て消して", READS, DELETES, calling(("reply", {"message": "ok"})))

    assert "☐ 「lunch」を削除" in chat.sent_for(asked)
    assert japanese(Phrase.CHANGE_QUESTION, until="13:50") in chat.sent_for(asked)


def test_no_proposal_holds_a_link_that_nobody_gave(chat: TaintedChat) -> None:
    link = "https://evil.example/?q=4711"

    reminds = calling(("create_reminder", {"text": f"read {link}", "at": "2025-11-22T09:00"}))
    asked = chat.asks(creating(link), reminds)
    given = chat.asks(creating(f"{link}\nnext"), reminds, text=f"what does {link} say?")

    assert chat.text_of(asked) == "shall I?"
    assert chat.text_of(given).count(link) == 2


def test_a_common_word_names_no_page(chat: TaintedChat) -> None:
    searches = calling(("search_database", {"database_name": "shopping"}))

    asked = chat.person.says(
        "what is on the shopping list?", searches, creating("the list of all that is secret"), REPLY
    )

    assert chat.text_of(asked) == (
        "shall I?\n\n☐ Add to Notion: “the list of all that is secret”\n     database: shopping"
    )
    assert chat.notion.pages == ()


def test_an_undo_of_an_earlier_turn_waits_for_a_tap(chat: TaintedChat) -> None:
    asked = chat.asks(UNDOES)

    assert chat.text_of(asked) == "shall I?\n\n☐ Undo the last change: “lunch”"
    assert chat.has_entry

    assert chat.text_of(chat.press()) == "✓ Taken back: “lunch”"
    assert not chat.has_entry


def test_an_undo_by_a_tap_is_of_what_was_shown_alone(chat: TaintedChat) -> None:
    chat.asks(UNDOES)
    chat.person.files("dinner")

    pressed = chat.press()

    assert chat.text_of(pressed) == english(Phrase.CHANGE_FAILED)
    assert chat.has_entry
    assert chat.has("ideas/dinner.md")


def test_an_undo_and_another_change_are_carried_out_by_one_tap(chat: TaintedChat) -> None:
    chat.person.files("dinner")
    chat.asks(DELETES, UNDOES)

    pressed = chat.press()

    assert chat.text_of(pressed) == "✓ Taken back: “dinner” · Deleted: “lunch”"
    assert not chat.has_entry
    assert not chat.has("ideas/dinner.md")


def test_what_the_turn_itself_changed_is_undone_without_a_tap(chat: TaintedChat) -> None:
    asked = chat.asks(NOTES, UNDOES, text=NOTING)

    assert "☐" not in chat.text_of(asked)
    assert "at noon" not in chat.entry_text


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (creating("milk\ud83d"), "☐ Add to Notion: “milk\ufffd”\n     database: shopping"),
        (
            calling(("create_reminder", {"text": "tea\ud83d", "at": "2026-11-23T09:00"})),
            "☐ Remind: “tea\ufffd”\n     when: Mon 23 Nov 2026, 09:00",
        ),
    ],
)
def test_half_a_character_in_the_arguments_does_not_end_the_turn(chat: TaintedChat, change: Step, line: str) -> None:
    asked = chat.asks(change)

    assert chat.text_of(asked) == f"shall I?\n\n{line}"


@pytest.mark.parametrize("text", ["pay  the rent", "pay the rent\n", "pay\nthe rent"])
def test_a_tap_sets_and_changes_a_reminder_whatever_white_space_its_text_has(chat: TaintedChat, text: str) -> None:
    chat.asks(calling(("create_reminder", {"text": text, "at": "2026-11-23T09:00"})))
    made = chat.press()
    (reminder,) = ReminderStore(chat.worker.conversations.of(chat.chat_id)).read_all()
    chat.asks(calling(("change_reminder", {"id": reminder.id, "text": f"{text} now"})))
    changed = chat.press()

    assert "Reminder: “pay the rent”" in chat.text_of(made)
    assert "“pay the rent now”" in chat.text_of(changed)


def test_a_tap_carries_out_exactly_what_was_shown_without_the_model(chat: TaintedChat) -> None:
    chat.asks(DELETES, creating(数量=2))

    pressed = chat.press()

    assert chat.text_of(pressed) == "✓ Deleted: “lunch” · Added to Notion: “spam”"
    assert not chat.has_entry
    assert len(chat.notion.pages) == 1
    assert chat.notion.written == ["create_page"]


def test_a_tap_counts_although_the_budget_is_spent(pool: ThreadPoolExecutor) -> None:
    chat = TaintedChat(pool, limits=Limits(turns_per_chat_day=2))  # one turn filed the entry
    chat.asks(DELETES)

    assert chat.text_of(chat.press()) == "✓ Deleted: “lunch”"
    assert not chat.has_entry


def test_a_second_tap_changes_nothing_and_is_told_so(chat: TaintedChat) -> None:
    chat.asks(creating())
    chat.press()

    again = chat.press()

    assert chat.text_of(again) == english(Phrase.PRESS_REPEATED)
    assert len(chat.notion.pages) == 1


def test_the_same_tap_that_is_delivered_again_does_nothing(chat: TaintedChat) -> None:
    chat.asks(creating())
    pressed = chat.press()

    chat.person.sends({**pressed, "deliveryContext": {"isRedelivery": True}})

    assert len(chat.notion.pages) == 1
    assert len(chat.worker.line.replied) == 3


@pytest.mark.parametrize("word", ["do", "late"])
@pytest.mark.parametrize(("seconds", "is_done"), [(598, True), (602, False), (-1, False)])
def test_a_tap_counts_for_ten_minutes(chat: TaintedChat, seconds: int, is_done: bool, word: str) -> None:
    asked = chat.asks(creating())

    chat.press(timestamp=asked["timestamp"] + seconds * 1_000, word=word)

    assert len(chat.notion.pages) == is_done


@pytest.mark.parametrize("word", ["do", "late", "confirm"])
def test_a_tap_in_another_chat_finds_nothing(chat: TaintedChat, word: str) -> None:
    chat.asks(creating())
    button = f"{word}:{chat.person.newest_button.partition(':')[2]}"
    other = Person(chat.worker, is_in_group=False)
    other.events = ChatEvents(is_group=False, author=STRANGER)
    other.events.skip(50)

    other.presses(button)

    assert chat.notion.pages == ()


@pytest.mark.parametrize("word", ["do", "late", "confirm"])
def test_a_tap_of_somebody_who_is_no_member_does_nothing(pool: ThreadPoolExecutor, word: str) -> None:
    chat = TaintedChat(pool, is_in_group=True)
    chat.asks(creating())
    chat.worker.profiles.strangers.add(STRANGER)

    chat.press(by=STRANGER, word=word)

    assert chat.notion.pages == ()


@pytest.mark.parametrize("word", ["do", "late"])
def test_a_tap_of_a_person_whom_line_does_not_name_does_nothing(pool: ThreadPoolExecutor, word: str) -> None:
    chat = TaintedChat(pool, is_in_group=True)
    chat.asks(creating())

    chat.press(source={"type": "group", "groupId": recorded.GROUP}, word=word)

    assert chat.notion.pages == ()


@pytest.mark.parametrize("line_is_down", [False, True])
def test_a_tap_of_another_member_counts_also_where_line_does_not_tell_who_is_one(
    pool: ThreadPoolExecutor, *, line_is_down: bool
) -> None:
    chat = TaintedChat(pool, is_in_group=True)
    chat.asks(creating())
    chat.worker.profiles.is_down = line_is_down

    chat.press(by=STRANGER)

    assert len(chat.notion.pages) == 1


def test_in_a_chat_of_two_line_is_not_asked_who_is_a_member(chat: TaintedChat) -> None:
    chat.asks(creating())
    chat.worker.profiles.strangers.add(recorded.USER)

    chat.press()

    assert len(chat.notion.pages) == 1


def test_a_proposal_is_withdrawn_with_the_message(chat: TaintedChat) -> None:
    asked = chat.asks(creating("my secret"))
    chat.worker.withdraw(recorded.USER, asked["message"]["id"])

    pressed = chat.press()

    assert not chat.holds("my secret")
    assert chat.text_of(pressed) == english(Phrase.PRESS_VOID)
    assert chat.notion.pages == ()


def test_an_erasure_takes_a_proposal(chat: TaintedChat) -> None:
    asked = chat.asks(creating("my secret"))
    button = chat.person.newest_button
    chat.worker.erase(recorded.USER, until_ms=asked["timestamp"])

    chat.person.presses(button)

    assert not chat.holds("my secret")
    assert chat.notion.pages == ()


def test_the_receipt_of_a_tap_goes_with_the_message_that_was_answered(chat: TaintedChat) -> None:
    asked = chat.asks(creating("my secret"))
    chat.press()

    chat.worker.withdraw(recorded.USER, asked["message"]["id"])

    assert not chat.holds("my secret")


def test_an_entry_that_is_another_one_by_now_is_not_deleted(chat: TaintedChat) -> None:
    chat.asks(DELETES)
    renames = calling(("update_entry", {"path": ENTRY, "updates": {"name": "wedding"}}))
    chat.changes(renames)

    pressed = chat.person.presses(chat.first_button)

    assert chat.text_of(pressed) == english(Phrase.CHANGE_FAILED)
    assert chat.has_entry or chat.holds("wedding")


def test_what_cannot_be_done_any_more_is_told(chat: TaintedChat) -> None:
    chat.asks(DELETES)
    chat.changes(DELETES)

    pressed = chat.person.presses(chat.first_button)

    assert chat.text_of(pressed) == english(Phrase.CHANGE_FAILED)


def test_a_reminder_waits_for_a_tap_and_goes_with_the_message_that_asked(chat: TaintedChat) -> None:
    reminds = calling(("create_reminder", {"text": "bring cash", "at": "2025-11-22T09:00"}))

    asked = chat.asks(reminds)
    assert chat.text_of(asked).endswith("☐ Remind: “bring cash”\n     when: Sat 22 Nov 2025, 09:00")
    reminders = ReminderStore(chat.worker.conversations.of(chat.chat_id))
    assert reminders.read_all() == ()

    pressed = chat.press()
    assert chat.text_of(pressed).startswith("✓ Reminder: “bring cash”")
    assert [one.text for one in reminders.read_all()] == ["bring cash"]

    chat.worker.withdraw(recorded.USER, asked["message"]["id"])
    assert not chat.holds("bring cash")


def test_a_reminder_that_a_late_answer_proposes_goes_with_the_message_that_asked(chat: TaintedChat) -> None:
    asked, worker = chat.events.text("what does the page say? and do not let me forget"), chat.worker
    received = dt.datetime.fromtimestamp(worker.clock.now_ms() / 1_000 - 49.95, dt.UTC).isoformat()

    def think_for_too_long(_: ModelRequest) -> ModelResponse:
        worker.clock.move(1)
        while worker.conversations.of(chat.chat_id).turn.read().record.state == "thinking":
            time.sleep(0.01)
        return REPLY

    reminds = calling(("create_reminder", {"text": "bring cash", "at": "2025-11-22T09:00"}))
    worker.deliver(asked, thinks=[READS, reminds, think_for_too_long], published=received)
    assert chat.text_of(chat.press()).endswith("☐ Remind: “bring cash”\n     when: Sat 22 Nov 2025, 09:00")

    assert chat.text_of(chat.press()).startswith("✓ Reminder: “bring cash”")
    worker.withdraw(recorded.USER, asked["message"]["id"])
    assert not chat.holds("bring cash")


@pytest.mark.parametrize("wrong", [{"at": "2020-01-01T09:00"}, {"rule": "FREQ=SOMETIMES"}])
def test_a_reminder_that_cannot_be_set_is_not_proposed(chat: TaintedChat, wrong: dict[str, str]) -> None:
    reminds = {"text": "tea", "at": "2026-11-23T09:00"}
    chat.person.says("remind me", calling(("create_reminder", reminds)), REPLY)
    (reminder,) = ReminderStore(chat.worker.conversations.of(chat.chat_id)).read_all()

    asked = chat.asks(
        calling(("create_reminder", {**reminds, **wrong})), calling(("change_reminder", {"id": reminder.id, **wrong}))
    )

    assert chat.text_of(asked) == "shall I?"


def test_silence_proposes_nothing(chat: TaintedChat) -> None:
    skip = calling(("skip", {"reason": "nothing to say"}))

    asked = chat.person.says("what does the page say?", READS, creating(), skip, REPLY)

    assert "☐" in chat.text_of(asked)


@pytest.mark.parametrize("properties", [{"数量": "many"}, {"なし": 1}])
def test_a_page_that_notion_cannot_take_is_not_proposed(chat: TaintedChat, properties: dict[str, Any]) -> None:
    asked = chat.asks(creating(**properties))

    assert chat.text_of(asked) == "shall I?"


def test_a_turn_proposes_only_a_few_changes(chat: TaintedChat) -> None:
    titles = [creating(f"spam {number}") for number in range(MOST_PROPOSED + 1)]

    asked = chat.asks(*titles)

    assert chat.text_of(asked).count("☐") == MOST_PROPOSED


def test_a_change_that_is_too_long_to_be_read_is_not_proposed(chat: TaintedChat) -> None:
    asked = chat.asks(creating("x" * 1_999, 品名="y" * 999))

    assert "☐" not in chat.text_of(asked)


@pytest.mark.parametrize("forgets", [False, True])
def test_a_long_answer_leaves_room_for_what_waits_for_a_tap(chat: TaintedChat, *, forgets: bool) -> None:
    chat.person.says("my pin is 4711", REPLY)
    changes = [DELETES, *([calling(("forget_messages", {"query": "4711"}))] if forgets else [])]
    digests, long_reply = (
        calling(("generate_digest", {"type": "weekly"})),
        calling(("reply", {"message": "長い。" * 1_333})),
    )

    asked = chat.person.says("sum up the week, and the page", READS, digests, *changes, long_reply)

    sent = chat.worker.line.replied[asked["replyToken"]]
    shown = "\n".join(one.text for one in sent)
    assert "☐ 「lunch」を削除" in shown
    assert ("my p…" in shown) is forgets
    assert [one.button is not None for one in sent].count(True) == 1 + forgets


def test_a_message_beside_the_tap_is_answered_by_the_next_turn(chat: TaintedChat) -> None:
    chat.asks(creating())
    waiting = chat.events.text("hello?")
    chat.worker.conversations.of(chat.chat_id).journal.keep(waiting_record(waiting))

    chat.press()
    chat.person.sends(waiting, calling(("reply", {"message": "hello!"})))

    assert len(chat.notion.pages) == 1
    assert chat.text_of(waiting) == "hello!"


@pytest.mark.parametrize("number", range(1, 26))
def test_a_worker_that_fails_at_any_write_carries_a_change_out_once(pool: ThreadPoolExecutor, number: int) -> None:
    chat = TaintedChat(pool)
    chat.asks(DELETES, creating())
    press = chat.events.event("postback", postback={"data": chat.person.newest_button})

    chat.delivers_with_a_lost_write(press, number)

    assert not chat.has_entry
    assert len(chat.notion.pages) == 1
    told = [text for text in chat.worker.said if text.startswith("✓ Deleted")]
    assert len(told) <= 1


def test_a_deletion_by_a_handle_is_asked_about_by_path_and_carried_out_by_the_tap(chat: TaintedChat) -> None:
    def delete_by_handle(_: ModelRequest) -> ModelResponse:
        (handle,) = re.findall(r"\| (e-[a-z2-7]{6}) ", chat.person.worker.prompt())
        return calling(("delete_entry", {"path": handle}))

    asked = chat.asks(delete_by_handle)

    assert chat.text_of(asked) == "shall I?\n\n☐ Delete “lunch” (ideas/lunch.md)"
    assert chat.text_of(chat.press()) == "✓ Deleted: “lunch”"
    assert not chat.has_entry
