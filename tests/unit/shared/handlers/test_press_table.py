"""Every button of the bot in every state: what a press of it is answered.  The table of docs/chat.md says the same in words."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, Final

import pytest

from shared.adapters.memory.scripted_model import Step, calling
from shared.conversation.provenance import Provenance
from shared.conversation.records import Offer, OutcomeKind
from shared.handlers.silence import Operator
from shared.line.cards.card import Card
from shared.line.phrases import Phrase, phrase
from shared.line.postback_data import AnswerButton, AnswerPress, ReminderChoice, ReminderPress
from shared.reminders.reminder import Reminder
from shared.reminders.store import ReminderStore
from shared.turns.deferral import stored_id
from tests.support import recorded
from tests.support.chats import answer, message
from tests.support.people import START_MS, ChatEvents, Person
from tests.support.tainted_chat import REPLY, TaintedChat, creating

STRANGER: Final = "U" + "e" * 32
OPERATOR: Final = Operator(user_id="U" + "9" * 32, minutes=30)
CARRIED_OUT: Final = "carried out"
ELEVEN_MINUTES_MS: Final = 11 * 60_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """A button as pressed: the data, the message that asked for it (None: no message), the time of its question, and the model's answer."""

    data: str
    asked_id: str | None
    shown_ms: int
    thinks: tuple[Step, ...] = ()


def _confirms(chat: TaintedChat) -> Button:
    asked = chat.person.says("/forget")
    return Button(data=chat.person.newest_button, asked_id=asked["message"]["id"], shown_ms=asked["timestamp"])


def _spares(chat: TaintedChat) -> Button:
    button = _confirms(chat)
    return replace(button, data=f"spare:{button.data.partition(':')[2]}")


def _carries_out(chat: TaintedChat) -> Button:
    asked = chat.asks(creating())
    return Button(data=chat.person.newest_button, asked_id=asked["message"]["id"], shown_ms=asked["timestamp"])


def _declines(chat: TaintedChat) -> Button:
    button = _carries_out(chat)
    return replace(button, data=f"no:{button.data.partition(':')[2]}")


def _shows(chat: TaintedChat) -> Button:
    """A question was deferred, and its answer is stored."""
    chat.events.skip(1)
    journal = chat.worker.conversations.of(chat.chat_id).journal
    journal.keep(message(1, "how high is it?", timestamp_ms=START_MS))
    deferral = replace(answer(1, "still thinking"), kind=OutcomeKind.DEFERRED, answers=("e1",))
    journal.record_outcome(replace(deferral, offer=Offer(is_deferral=True)))
    stored = replace(deferral, webhook_event_id=stored_id("e1"), kind=OutcomeKind.STORED, text="3,776 m")
    journal.record_outcome(stored)
    return Button(data=AnswerPress(button=AnswerButton.SHOW, answer_id="e1").data, asked_id="m1", shown_ms=START_MS)


def _reminds(chat: TaintedChat) -> Button:
    """A reminder was set by a message and is due."""
    asked = chat.person.says("remember the milk")
    due_ms = asked["timestamp"]
    source = replace(message(1, timestamp_ms=due_ms), line_message_id=asked["message"]["id"]).source
    reminder = Reminder(
        id="r1", text="milk", start="2025-11-21T13:40", zone="Asia/Tokyo", provenance=Provenance.of_sources([source])
    )
    ReminderStore(chat.worker.conversations.of(chat.chat_id)).create(reminder)
    press = ReminderPress(choice=ReminderChoice.DONE, reminder_id="r1", occurrence_ms=due_ms)
    return Button(data=press.data, asked_id=asked["message"]["id"], shown_ms=due_ms)


def _ticks(chat: TaintedChat) -> Button:
    """A task was filed, and listed."""
    chat.worker.json_model.steps = [{"category": "admin", "confidence": 0.8, "name": "milk"}]
    asked = chat.person.asks("note: milk", calling(("classify_and_capture", {"text": "milk"})), REPLY)
    (button,) = _card(chat, chat.person.says("/notes")).rows[-1].buttons
    return Button(data=button.value, asked_id=asked["message"]["id"], shown_ms=asked["timestamp"])


def _cancels(chat: TaintedChat) -> Button:
    """A reminder was set, and listed."""
    chat.worker.line.members[chat.chat_id] = 3
    sets = calling(("create_reminder", {"text": "milk", "at": "2025-11-22T09:00"}))
    asked = chat.person.asks("remind us of the milk tomorrow at 9", sets, REPLY)
    cancel, _ = _card(chat, chat.person.says("/reminders")).rows[-1].buttons
    return Button(data=cancel.value, asked_id=asked["message"]["id"], shown_ms=asked["timestamp"])


def _pages(chat: TaintedChat) -> Button:
    return replace(_ticks(chat), data="page:notes:0")


def _suggests(chat: TaintedChat) -> Button:
    asked = chat.person.asks("hi", calling(("reply", {"message": "hi", "suggestions": ["any milk?"]})))
    card = chat.worker.line.replied[asked["replyToken"]][-1].card
    assert card is not None
    (button,) = card.buttons
    answers = (calling(("reply", {"message": "some milk"})),)
    return Button(data=button.value, asked_id=asked["message"]["id"], shown_ms=asked["timestamp"], thinks=answers)


def _chooses(chat: TaintedChat) -> Button:
    asked = chat.person.says("/language")
    return Button(data="language:en", asked_id=asked["message"]["id"], shown_ms=asked["timestamp"])


def _postpones(chat: TaintedChat) -> Button:
    """A reminder was set, and listed."""
    button = _cancels(chat)
    return replace(button, data=button.data.replace(":cancel:", ":hour:"))


def _snoozes(chat: TaintedChat) -> Button:
    """A reminder was set by a message and is due."""
    button = _reminds(chat)
    return replace(button, data=button.data.replace(":done:", ":hour:"))


def _takes_back(chat: TaintedChat) -> Button:
    chat.person.says("my PIN is 4711")
    forgets = calling(("forget_messages", {"query": "pin"}))
    asked = chat.person.asks("please forget my number", forgets, REPLY)
    return Button(data=chat.person.newest_button, asked_id=asked["message"]["id"], shown_ms=asked["timestamp"])


def _pauses(chat: TaintedChat) -> Button:
    asked = chat.person.says("/pause")
    return Button(data=chat.person.newest_button, asked_id=asked["message"]["id"], shown_ms=asked["timestamp"])


def _resumes(chat: TaintedChat) -> Button:
    chat.person.presses(_pauses(chat).data)
    asked = chat.person.says("/resume")
    return Button(data=chat.person.newest_button, asked_id=asked["message"]["id"], shown_ms=asked["timestamp"])


def _hands_over(chat: TaintedChat) -> Button:
    calls = calling(("call_person", {"reason": "asked"}))
    asked = chat.person.asks("may I talk to a person?", calls, REPLY)
    return Button(data=chat.person.newest_button, asked_id=asked["message"]["id"], shown_ms=asked["timestamp"])


def _refiles(chat: TaintedChat) -> Button:
    """A message that another message had filed was edited."""
    said = chat.person.says("10 kg of rice")
    chat.worker.json_model.steps = [{"category": "ideas", "confidence": 0.8, "name": "rice"}] * 2
    chat.person.asks("note that", calling(("classify_and_capture", {"text": "10 kg of rice"})), REPLY)
    message = {**said["message"], "text": "5 kg of rice"}
    edited = chat.person.sends({**chat.events.event("messageEdited"), "message": message})
    return Button(data=chat.person.newest_button, asked_id=message["id"], shown_ms=edited["timestamp"])


def _explains(chat: TaintedChat) -> Button:
    asked = chat.person.says("/help")
    answers = (calling(("reply", {"message": "some milk"})),)
    data = _card(chat, asked).buttons[0].value
    return Button(data=data, asked_id=asked["message"]["id"], shown_ms=asked["timestamp"], thinks=answers)


def _card(chat: TaintedChat, listed: dict[str, Any]) -> Card:
    (message,) = chat.worker.line.replied[listed["replyToken"]]
    assert message.card is not None
    return message.card


BUTTONS: Final[dict[str, Callable[[TaintedChat], Button]]] = {
    "confirm an erasure": _confirms,
    "decline an erasure": _spares,
    "carry out a proposal": _carries_out,
    "decline a proposal": _declines,
    "show the answer": _shows,
    "reminder": _reminds,
    "listed reminder": _cancels,
    "tick": _ticks,
    "list": _pages,
    "suggestion": _suggests,
    "language": _chooses,
    "postpone a listed reminder": _postpones,
    "snooze": _snoozes,
    "take back messages": _takes_back,
    "pause": _pauses,
    "resume": _resumes,
    "hand over": _hands_over,
    "file an edit's new words": _refiles,
    "example of the help": _explains,
}


def _press(person: Person, button: Button, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - fields of the event
    return person.sends(person.events.event("postback", postback={"data": button.data}, **more), *button.thinks)


def _in_time(chat: TaintedChat, button: Button) -> dict[str, Any]:
    return _press(chat.person, button)


def _expired(chat: TaintedChat, button: Button) -> dict[str, Any]:
    return _press(chat.person, button, timestamp=button.shown_ms + ELEVEN_MINUTES_MS)


def _repeated(chat: TaintedChat, button: Button) -> dict[str, Any]:
    _press(chat.person, button)
    return _press(chat.person, button)


def _superseded(chat: TaintedChat, button: Button) -> dict[str, Any]:
    """The message that asked was taken back since."""
    assert button.asked_id is not None
    chat.worker.withdraw(chat.chat_id, button.asked_id)
    return _press(chat.person, button)


def _foreign(chat: TaintedChat, button: Button) -> dict[str, Any]:
    other = Person(chat.worker, is_in_group=False)
    other.events = ChatEvents(is_group=False, author=STRANGER)
    other.events.skip(50)
    return _press(other, button)


def _former(chat: TaintedChat, button: Button) -> dict[str, Any]:
    chat.worker.profiles.strangers.add(STRANGER)
    return _press(chat.person, button, by=STRANGER)


def _unnamed(chat: TaintedChat, button: Button) -> dict[str, Any]:
    return _press(chat.person, button, source={"type": "group", "groupId": recorded.GROUP})


STATES: Final[dict[str, Callable[[TaintedChat, Button], dict[str, Any]]]] = {
    "in time": _in_time,
    "expired": _expired,
    "repeated": _repeated,
    "superseded": _superseded,
    "foreign chat": _foreign,
    "former member": _former,
    "unnamed": _unnamed,
}
EXPIRED, REPEATED, VOID = Phrase.PRESS_EXPIRED, Phrase.PRESS_REPEATED, Phrase.PRESS_VOID
DECLINED, UNNAMED, GONE = Phrase.PRESS_DECLINED, Phrase.PRESS_UNNAMED, Phrase.REMINDER_GONE
NOTHING, DONE = Phrase.NOTHING_TO_SHOW, Phrase.REMINDER_DONE
WAS_DONE, NO_ENTRY, NO_ENTRIES = Phrase.ENTRY_WAS_DONE, Phrase.ENTRY_GONE, Phrase.NOTES_NONE
CHOSEN, LATER = Phrase.LANGUAGE_DONE, "I’ll remind you again: Fri 21 Nov, 14:52."
TABLE: Final[dict[str, tuple[Phrase | str, ...]]] = {
    "confirm an erasure": (Phrase.FORGET_DONE, EXPIRED, REPEATED, VOID, VOID, VOID, UNNAMED),
    "decline an erasure": (DECLINED, EXPIRED, REPEATED, VOID, VOID, VOID, UNNAMED),
    "carry out a proposal": (CARRIED_OUT, EXPIRED, REPEATED, VOID, VOID, VOID, UNNAMED),
    "decline a proposal": (DECLINED, EXPIRED, REPEATED, VOID, VOID, VOID, UNNAMED),
    "show the answer": (CARRIED_OUT, CARRIED_OUT, Phrase.ANSWER_SHOWN, VOID, NOTHING, VOID, UNNAMED),
    "reminder": (DONE, DONE, REPEATED, GONE, GONE, DONE, DONE),
    "listed reminder": (CARRIED_OUT, CARRIED_OUT, GONE, GONE, GONE, VOID, UNNAMED),
    "tick": (CARRIED_OUT, CARRIED_OUT, WAS_DONE, NO_ENTRY, NO_ENTRY, VOID, UNNAMED),
    "list": (CARRIED_OUT, CARRIED_OUT, CARRIED_OUT, NO_ENTRIES, NO_ENTRIES, VOID, UNNAMED),
    "suggestion": (CARRIED_OUT, CARRIED_OUT, CARRIED_OUT, VOID, VOID, VOID, UNNAMED),
    "language": (CHOSEN, CHOSEN, CHOSEN, CHOSEN, CHOSEN, CHOSEN, CHOSEN),
    "postpone a listed reminder": (CARRIED_OUT, CARRIED_OUT, Phrase.REMINDER_CHANGED, GONE, GONE, VOID, UNNAMED),
    "snooze": (CARRIED_OUT, LATER, REPEATED, GONE, GONE, CARRIED_OUT, CARRIED_OUT),
    "take back messages": (CARRIED_OUT, EXPIRED, REPEATED, VOID, VOID, Phrase.PRESS_OF_ANOTHER, UNNAMED),
    "pause": (Phrase.PAUSE_DONE, EXPIRED, REPEATED, VOID, VOID, VOID, UNNAMED),
    "resume": (Phrase.RESUME_DONE, EXPIRED, REPEATED, VOID, VOID, VOID, UNNAMED),
    "hand over": (CARRIED_OUT, EXPIRED, REPEATED, VOID, VOID, VOID, UNNAMED),
    "file an edit's new words": (CARRIED_OUT, EXPIRED, REPEATED, VOID, VOID, VOID, UNNAMED),
    "example of the help": (CARRIED_OUT, CARRIED_OUT, CARRIED_OUT, CARRIED_OUT, VOID, VOID, UNNAMED),
}
TOLD: Final = {
    "carry out a proposal": "✓ Added to Notion: “spam”",
    "show the answer": "3,776 m",
    "listed reminder": "✓ Reminder cancelled: “milk” (Sat 22 Nov, 09:00)",
    "tick": "✓ Done: “milk” (tasks)",
    "list": "Notes (1):\n[tasks]\n・milk",
    "suggestion": "some milk",
    "postpone a listed reminder": "✓ Reminder changed: “milk” (Sat 22 Nov, 10:00)",
    "snooze": "I’ll remind you again: Fri 21 Nov, 14:41.",
    "take back messages": "Erased: 1 message, 0 answers of mine based on it, 0 notes made from it.",
    "hand over": "A person answers here now. I stay silent for up to 30 minutes; /resume brings me back sooner.",
    "file an edit's new words": "✓ Filed: “rice” (ideas)",
    "example of the help": "some milk",
}
"""What a press is answered that did what its button says, where it is no fixed phrase."""


def _in_both_languages(which: Phrase) -> set[str]:
    """Return the text in the languages of the bot and of what is asked here."""
    return {phrase(which, locale=locale, bot_name="Aizuchi") for locale in ("ja", "en")}


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("button", BUTTONS)
def test_every_press_of_every_button_is_answered_on_its_own_token(
    pool: ThreadPoolExecutor, button: str, state: str
) -> None:
    chat = TaintedChat(pool, is_in_group=True, operator=OPERATOR)
    shown = BUTTONS[button](chat)

    pressed = STATES[state](chat, shown)

    expected = TABLE[button][list(STATES).index(state)]
    (answer_to_press,) = chat.worker.line.replied[pressed["replyToken"]]
    texts = (
        _in_both_languages(expected)
        if isinstance(expected, Phrase)
        else {TOLD.get(button) if expected == CARRIED_OUT else expected}
    )
    assert answer_to_press.text in texts


@pytest.mark.parametrize("button", ["carry out a proposal", "confirm an erasure"])
def test_a_question_that_was_declined_cannot_be_confirmed(pool: ThreadPoolExecutor, button: str) -> None:
    chat = TaintedChat(pool, is_in_group=True)
    shown = BUTTONS[button](chat)
    word = "no" if shown.data.startswith("do:") else "spare"
    chat.person.presses(f"{word}:{shown.data.partition(':')[2]}")

    pressed = chat.person.presses(shown.data)

    (refusal,) = chat.worker.line.replied[pressed["replyToken"]]
    assert refusal.text in _in_both_languages(Phrase.PRESS_REPEATED)
    assert chat.notion.pages == ()
    assert chat.worker.conversations.of(chat.chat_id).amendments.watermark().timestamp_ms == -1
