"""The table of docs/privacy.md, played row by row: what goes at once, what stays, and what the next tick takes out once more."""

import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import pytest

from shared.adapters.memory import FixedClock, MemoryNotion
from shared.adapters.memory.line_people import HeldContent
from shared.adapters.memory.scripted_model import Step, calling
from shared.agent.model import ModelRequest, ModelResponse
from shared.composition.ports import NotionPort
from shared.conversation.snapshot import MemoryLimits
from shared.conversation.store import Conversation
from shared.line.phrases import Phrase
from tests.support import push
from tests.support.chats import everything_in
from tests.support.notion import shopping_list
from tests.support.people import Person
from tests.support.phrases import japanese
from tests.support.pushed import PushedWorker
from tests.support.reminders import reminding_tool

PRIVACY: Final = Path(__file__).parents[4] / "docs" / "privacy.md"
AGE_49_9_S: Final = "2025-11-21T04:39:10.100Z"
SAFE: Final = "the safe stands behind the third bookshelf"
PLACE: Final = "behind the third bookshelf"


def reply(text: str) -> ModelResponse:
    return calling(("reply", {"message": text}))


def recap(text: str) -> ModelResponse:
    return calling(("write_recap", {"text": text}))


class Chat(Person):
    """A chat in which messages soon fall out of sight, and whose bot may write to Notion."""

    def __init__(self, pool: ThreadPoolExecutor, *, is_in_group: bool) -> None:
        self.notion = MemoryNotion(FixedClock())
        databases = {"shopping_list": self.notion.add_database(shopping_list())}
        worker = PushedWorker(
            pool,
            [reminding_tool()],
            notion=NotionPort(api=self.notion, databases=databases, conversations=None),
            memory=MemoryLimits(journalled=1, verbatim=1, summed_up=1),
            segment_messages=1,
        )
        super().__init__(worker, is_in_group=is_in_group)

    @property
    def conversation(self) -> Conversation:
        return self.worker.conversations.of(self.events.chat_id)

    @property
    def objects(self) -> Mapping[str, bytes]:
        store = self.worker.store
        found = ((one.name, store.read(one.name)) for one in store.list(""))
        return {name: stored.data for name, stored in found if stored is not None}

    @property
    def kept(self) -> str:
        """Every byte of the bucket, and every page in Notion."""
        return f"{everything_in(self.worker.store)} {[one.properties for one in self.notion.pages]}"

    def unsends(self, number: int = 1) -> None:
        self.sends(self.events.event("unsend", unsend={"messageId": f"m{number}"}))

    def files_the_garden(self, *thinks: Step) -> None:
        """File an idea from a message to the bot."""
        self.worker.json_model.steps = [{"category": "ideas", "confidence": 0.8, "name": "garden"}]
        capture = calling(("classify_and_capture", {"text": "garden"}))
        self.says("@Aizuchi an idea: garden", capture, reply("filed"), *thinks)

    def ticks(self) -> None:
        """Two minutes later, what is due is carried out."""
        self.worker.clock.move(120)
        assert self.worker.push(push.tick()) == 204


def says_the_place(chat: Chat) -> None:
    chat.says(SAFE)


def asks_about_the_place(chat: Chat) -> None:
    chat.says(SAFE, reply(f"noted: {PLACE}"))


def has_it_summed_up(chat: Chat) -> None:
    chat.says(SAFE, reply("noted"))
    chat.says("we drink tea", reply("enjoy"), recap(f"A safe {PLACE}."))


def is_archived(chat: Chat) -> None:
    """The message, its answer and a recap of it leave the snapshot together, in segments of one message."""
    has_it_summed_up(chat)
    conversation, seen = chat.conversation, chat.conversation.snapshot.read()
    nothing_left = replace(seen.record, messages=(), outcomes=(), recaps=(), passed_recaps=())
    cut = conversation.archive.cut(conversation.archive.with_waiting(seen.record, nothing_left))
    conversation.archive.write(cut.segments)
    conversation.snapshot.swap(seen, cut.record)
    assert {name.partition("/")[0] for name, data in chat.objects.items() if PLACE in data.decode()} == {"archive"}


def gets(later_answer: str) -> Callable[[Chat], None]:
    """The later answer's prompt holds the recap and the second answer, and not the message itself."""

    def asks_again(chat: Chat) -> None:
        chat.says(SAFE, reply(f"noted: {PLACE}"))
        chat.says("where is it?", reply(f"you said {PLACE}"), recap("They have a safe."))
        chat.says("are you sure?", reply(later_answer))
        assert SAFE not in chat.worker.prompt()
        assert f"you said {PLACE}" in chat.worker.prompt()

    return asks_again


def shows_a_bicycle(chat: Chat) -> None:
    picture = chat.events.event("message", message={"type": "image", "contentProvider": {"type": "line"}})
    content = HeldContent(data=b"bytes of a bicycle", content_type="image/jpeg")
    chat.worker.media.contents[picture["message"]["id"]] = content
    chat.sends(picture, reply("what a crimson bicycle"))
    described = calling(("write_description", {"text": "A bicycle at a wall."}))
    chat.says("isn't it?", reply("it is"), recap("A picture was sent."), described)


def files_alone(chat: Chat) -> None:
    chat.files_the_garden()


def is_repeated_by_another_member_who_files_it(chat: Chat) -> None:
    chat.says(f"everybody knows: {SAFE}")
    chat.worker.json_model.steps = [{"category": "ideas", "confidence": 0.8, "name": "safe"}]
    capture = calling(("classify_and_capture", {"text": SAFE}))
    chat.sends(chat.events.text(f"@Aizuchi {SAFE}", by="U" + "2" * 32), capture, reply("noted"), recap("They file."))


def files_together(chat: Chat) -> None:
    chat.files_the_garden()
    update = calling(("update_entry", {"path": "ideas/garden.md", "updates": {"one_liner": "tulips in spring"}}))
    chat.says("tulips in spring", update, reply("added"), recap("They file."))


def unsends_while_the_model_thinks(chat: Chat) -> None:
    def unsend_then_answer(_: ModelRequest) -> ModelResponse:
        chat.worker.withdraw(chat.events.chat_id, "m1")
        return reply(f"noted: {PLACE}")

    chat.says(SAFE, unsend_then_answer)
    assert chat.worker.said == []


def unsends_before_the_message_comes(chat: Chat) -> None:
    message = chat.events.text(SAFE)
    chat.unsends()
    chat.sends(message)
    assert chat.worker.model.requests == []


def files_from_the_place(chat: Chat) -> None:
    chat.worker.json_model.steps = [{"category": "ideas", "confidence": 0.8, "name": "safe"}]
    capture = calling(("classify_and_capture", {"text": SAFE}))
    chat.says(f"@Aizuchi {SAFE}", capture, reply("noted, in the house"))


def edits_it(chat: Chat) -> None:
    """The turn keeps what it staged last until the next turn; every other object has only the newer words at once."""
    edit = {**chat.events.event("messageEdited"), "message": {"id": "m1", "type": "text", "text": "never mind"}}
    chat.sends(edit)
    assert {name for name, data in chat.objects.items() if SAFE in data.decode()} <= {chat.conversation.names.turn}
    chat.says("@Aizuchi thanks", reply("welcome"), recap("They spoke."))


def files_and_talks(chat: Chat) -> None:
    chat.files_the_garden()
    chat.says(f"@Aizuchi {SAFE}", reply(f"so it is {PLACE}"), recap(f"They have a safe {PLACE}."))


def presses_the_button_of_forget(chat: Chat) -> None:
    chat.says("/forget")
    assert PLACE in chat.kept
    chat.presses(chat.newest_button)


def gets_a_deferral(chat: Chat) -> None:
    def wait_for_the_deferral(_: ModelRequest) -> ModelResponse:
        chat.worker.clock.move(1)
        until_s = time.monotonic() + 10
        while not chat.worker.line.replied:
            assert time.monotonic() < until_s, "nothing was deferred"
            time.sleep(0.01)
        return reply(f"noted: {PLACE}")

    asked = chat.events.text(SAFE)
    asked["timestamp"] -= 50_000
    assert chat.worker.deliver(asked, thinks=[wait_for_the_deferral], published=AGE_49_9_S) == 204
    assert f"noted: {PLACE}" in chat.kept


def unsends_and_presses(chat: Chat) -> None:
    button = chat.newest_button
    chat.unsends()
    chat.presses(button)
    assert chat.worker.said[1:] == [japanese(Phrase.PRESS_VOID)]


def writes_to_notion(chat: Chat) -> None:
    page = {"database_name": "shopping_list", "title": "oat milk", "properties": {}}
    chat.says("please buy oat milk", calling(("create_page", page)), reply("oat milk is on the list"))


def asks_for_a_reminder(chat: Chat) -> None:
    chat.says(SAFE, calling(("remind", {"text": PLACE, "minutes": 60})), reply("noted"))
    assert any(name.startswith("reminders/") and PLACE in data.decode() for name, data in chat.objects.items())


def is_translated(chat: Chat) -> None:
    """The message is the chat's third, after the command and the press; the translation was sent."""
    chat.says("/translate en th")
    chat.presses(chat.newest_button)
    thai = [{"to": "th", "text": "ตู้เซฟอยู่หลังชั้นหนังสือที่สาม"}]
    chat.worker.translator.steps = [{"messages": [{"number": 1, "language": "en", "translations": thai}]}]
    chat.says(SAFE)
    assert "ตู้เซฟ" in chat.worker.said[-1]


def is_summed_up_for_one_member(chat: Chat) -> None:
    """The summary was pushed to the asker's own chat."""
    chat.says(SAFE)
    now = {"text": "summary", "at": "2025-11-21T13:40", "digest": "chat", "private": True}
    chat.asks(
        "sum it up, for me alone", calling(("create_reminder", now)), reply("on its way"), recap("They drink tea.")
    )
    chat.worker.model.steps = [recap(f"Kept {PLACE}.")]
    chat.ticks()
    assert PLACE in chat.worker.line.pushes[-1][1][0]


def asks_to_forget_the_place(chat: Chat) -> None:
    has_it_summed_up(chat)
    proposes = calling(("forget_messages", {"query": "bookshelf"}))
    chat.says("forget what I said about the safe", proposes, reply("press"), recap("They drink tea."))


def presses_the_button(chat: Chat) -> None:
    chat.presses(chat.newest_button)


def says_the_command(command: str) -> Callable[[Chat], object]:
    """Return who says the command, and presses the button where a question comes first."""

    def say_it(chat: Chat) -> None:
        chat.says(command)
        if chat.events.chat_id.startswith("C"):
            chat.presses(chat.newest_button)

    return say_it


def says_alone(command: str) -> Callable[[Chat], object]:
    return lambda chat: chat.says(command)


def nothing(_: Chat) -> None:
    """Everything happens when the words are taken back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of the table, by its first cell: what is said, how it is taken back, what goes and what stays."""

    case: str
    said: Callable[[Chat], object]
    taken_back: Callable[[Chat], object] = Chat.unsends
    goes: tuple[str, ...]
    stays: tuple[str, ...] = ()
    is_in_group: bool = False


ROWS: Final = (
    Row(case="a message without an answer", said=says_the_place, goes=(PLACE,), is_in_group=True),
    Row(case="a message that was answered", said=asks_about_the_place, goes=(PLACE,)),
    Row(case="an archived message", said=is_archived, goes=(PLACE,), stays=("we drink tea",)),
    Row(case="a message in a recap", said=has_it_summed_up, goes=(PLACE,), stays=("we drink tea",)),
    Row(case="a message that a later answer repeats", said=gets(f"yes, {PLACE}"), goes=(PLACE,)),
    Row(
        case="a message that a later answer rephrases",
        said=gets("yes, where your novels are"),
        goes=(PLACE,),
        stays=("yes, where your novels are", "are you sure?"),
    ),
    Row(case="a picture, voice message, video or file", said=shows_a_bicycle, goes=("bicycle",)),
    Row(case="a message that was filed as an entry", said=files_alone, goes=("garden",)),
    Row(
        case="a message of which another person's own message says the words, too",
        said=is_repeated_by_another_member_who_files_it,
        goes=("everybody knows",),
        stays=("ideas/safe.md", SAFE),
        is_in_group=True,
    ),
    Row(
        case="a message that shares an entry with others",
        said=files_together,
        taken_back=lambda chat: chat.unsends(2),
        goes=("tulips in spring",),
        stays=("garden",),
    ),
    Row(
        case="a message that the bot is answering at this moment",
        said=nothing,
        taken_back=unsends_while_the_model_thinks,
        goes=(PLACE,),
    ),
    Row(case="a message that comes later", said=nothing, taken_back=unsends_before_the_message_comes, goes=(PLACE,)),
    Row(case="a deferral's question", said=gets_a_deferral, taken_back=unsends_and_presses, goes=(PLACE,)),
    Row(
        case="a message that led to a page in Notion",
        said=writes_to_notion,
        goes=("please buy oat milk", '"oat milk"', "oat milk is on the list"),
        stays=("'oat milk'", "page_id"),  # in Notion, and the result of the call
    ),
    Row(case="a message that asked for a reminder", said=asks_for_a_reminder, goes=(PLACE,)),
    Row(
        case="a message in a summary that one member asked for alone",
        said=is_summed_up_for_one_member,
        goes=(PLACE,),
        is_in_group=True,
    ),
    Row(
        case="a message that was [translated](chat.md#translation-between-members)",
        said=is_translated,
        taken_back=lambda chat: chat.unsends(3),
        goes=(PLACE,),
        stays=("event3",),
        is_in_group=True,
    ),
    Row(
        case="an edit",
        said=files_from_the_place,
        taken_back=edits_it,
        goes=(SAFE,),
        stays=("noted, in the house", "never mind"),
        is_in_group=True,
    ),
    Row(
        case="`/reset`, in a group with its button; `/exit` or `/bye` in a 1:1 chat",
        said=files_and_talks,
        taken_back=says_the_command("/reset"),
        goes=(PLACE,),
        stays=("ideas/garden.md",),
    ),
    Row(
        case="`/forget` with its button",
        said=files_and_talks,
        taken_back=presses_the_button_of_forget,
        goes=(PLACE, "garden"),
    ),
    Row(
        case="`/exit` or `/bye` in a group, with its button",
        said=files_and_talks,
        taken_back=says_the_command("/bye"),
        goes=(PLACE, "garden"),
        is_in_group=True,
    ),
    Row(
        case='a press under "take back these messages" ([by asking](memory.md#forgetting-by-asking))',
        said=asks_to_forget_the_place,
        taken_back=presses_the_button,
        goes=(PLACE,),
        stays=("we drink tea",),
    ),
    Row(
        case="`/forget me` in a group",
        said=files_and_talks,
        taken_back=says_alone("/forget me"),
        goes=(PLACE, "garden"),
        is_in_group=True,
    ),
    Row(
        case="a block, or a removal from the group",
        said=files_and_talks,
        taken_back=lambda chat: chat.sends(chat.events.event("leave")),
        goes=(PLACE, "garden"),
        is_in_group=True,
    ),
)


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(16) as threads:
        yield threads


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.case)
def test_what_the_table_names_goes_and_the_rest_stays(row: Row, pool: ThreadPoolExecutor) -> None:
    chat = Chat(pool, is_in_group=row.is_in_group)
    row.said(chat)
    before = chat.objects
    assert row.said is nothing or all(words in chat.kept for words in row.goes)

    row.taken_back(chat)
    assert [words for words in row.goes if words in chat.kept] == []
    assert [words for words in row.stays if words not in chat.kept] == []

    for name in before.keys() - chat.objects.keys():  # writers that stalled, and died before they looked
        chat.worker.store.create(name, before[name])
    chat.ticks()
    assert [words for words in row.goes if words in chat.kept] == []
    assert [words for words in row.stays if words not in chat.kept] == []
    markers = [one.name for one in chat.worker.store.list("due/")]
    assert [one for one in markers if "/reminder." not in one] == []  # a reminder that was told goes a week later


def test_the_table_has_the_rows_that_are_played() -> None:
    _, _, section = PRIVACY.read_text(encoding="utf-8").partition("## What goes, and when")
    table = [line for line in section.partition("\n## ")[0].splitlines() if line.startswith("| ")]

    assert [line.split(" | ")[0].removeprefix("| ") for line in table[1:]] == [row.case for row in ROWS]
