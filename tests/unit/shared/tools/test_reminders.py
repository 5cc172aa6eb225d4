"""Where a reminder's words come from, and what a call changes of it."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from shared.agent.model import Json
from shared.agent.staged import Staged
from shared.agent.tools import NeedsTap, ToolFault
from shared.conversation.records import MessageRecord
from shared.conversation.store import Conversation
from shared.reminders.reminder import Reminder
from shared.reminders.schedule import Schedule
from shared.storage.codec import encode
from shared.tools.reminders import ReminderTools
from tests.support import schemas
from tests.support.chats import message
from tests.support.knowledge import FilingChat
from tests.support.reminders import ReminderChat

YUKI, KEN = "U" + "1" * 32, "U" + "2" * 32
GROUP = "C" + "1" * 32
LATER, LATEST = "2030-01-01T09:00", "2030-01-02T09:00"


class Costs:
    """What a push costs, and how many of the next ones the quota carries."""

    renewal_ms = 4_102_444_800_000  # 2100

    def __init__(self, cost: int | None, *, carries: int | None = None) -> None:
        self.cost = cost
        self.carries = carries
        self.due: list[tuple[int, bool]] = []

    def carried(self, conversation: Conversation, pushes: Iterable[tuple[int, bool]]) -> int | None:
        del conversation
        self.due = list(pushes)
        return self.carries

    def cost_of(self, conversation_id: str) -> int | None:
        del conversation_id
        return self.cost


class Reminding:
    """A turn of a chat with entries; `asked` is what it answers."""

    def __init__(self, chat: FilingChat, *asked: MessageRecord, costs: Costs | None = None) -> None:
        turn = chat.begin(*asked)
        self.overlay = ReminderChat(chat.conversation).begin()
        self.context = replace(turn.context, staged=Staged((turn.overlay, self.overlay)))
        self._tools = {tool.name: tool for tool in ReminderTools(costs=costs).tools()}

    def call(self, name: str, **arguments: object) -> Any:  # noqa: ANN401 - JSON
        return self._tools[name].run(arguments, self.context)

    def made(self, text: str, **arguments: object) -> Reminder:
        """Create a reminder and return it."""
        result = self.call("create_reminder", text=text, at=LATER, **arguments)
        assert isinstance(result, Mapping)
        return self.overlay.show(str(result["id"]))


@pytest.fixture
def chat() -> FilingChat:
    return FilingChat(chat=YUKI)


def asking(number: int, text: str, *, by: str = YUKI) -> MessageRecord:
    return replace(message(number, text), user_id=by)


def of_same_reminders(turn: "Reminding", before: "Reminding") -> "Reminding":
    """Return the turn, which sees what the one before has made."""
    turn.overlay = before.overlay
    turn.context = replace(turn.context, staged=Staged((before.overlay,)))
    return turn


def ids(reminder: Reminder) -> set[str]:
    return {one.line_message_id for one in reminder.provenance.sources}


def test_a_reminder_belongs_to_who_asked_last(chat: FilingChat) -> None:
    assert Reminding(chat, message(1), asking(2, "water")).made("water").user_id == YUKI


def test_a_reminder_that_is_asked_for_again_is_one(chat: FilingChat) -> None:
    first = Reminding(chat, asking(1, "water"))
    made = first.made("Water")
    again = first.call("create_reminder", text="water", at=LATER)
    later = of_same_reminders(Reminding(chat, asking(2, "water, ok?")), first).call(
        "create_reminder", text="water", at=LATER
    )

    assert [(one["id"], one["already_set"]) for one in (again, later)] == [(made.id, True)] * 2
    assert len(first.overlay.list()) == 1
    schemas.validator("tools/create_reminder.response").validate(again)


@pytest.mark.parametrize(
    "said",
    ["remind me twice", "もう一つ追加して", "2つお願い", "再加一個提醒", "เตือนอีกครั้ง", "and another one, please"],
)
def test_a_second_reminder_is_set_where_the_words_ask_for_one(chat: FilingChat, said: str) -> None:
    turn = Reminding(chat, asking(1, said))
    turn.made("water")
    turn.made("water")

    assert len(turn.overlay.list()) == 2


@pytest.mark.parametrize(
    "said", ["2030年1月1日(月)に水", "water on Monday, January 1", "1/1(一) 喝水", "วันจันทร์ที่ 1 ดื่มน้ำ"]
)
def test_a_weekday_that_does_not_match_its_date_is_asked_about(chat: FilingChat, said: str) -> None:
    turn = Reminding(chat, asking(1, said))

    for at in (LATER, "2029-12-31T09:00"):
        fault = turn.call("create_reminder", text="water", at=at)
        assert isinstance(fault, ToolFault)
        assert fault.message.startswith("The person wrote Monday beside 2030-01-01, which is a Tuesday.")
    assert turn.overlay.list() == ()


def test_another_weekday_is_asked_about_before_a_change(chat: FilingChat) -> None:
    first = Reminding(chat, asking(1, "water"))
    made = first.made("water")
    turn = of_same_reminders(Reminding(chat, asking(2, "1月2日(木)にして")), first)

    fault = turn.call("change_reminder", id=made.id, at=LATEST)

    assert isinstance(fault, ToolFault)
    assert turn.overlay.show(made.id).start == LATER


def test_a_reminder_is_set_in_the_zone_that_the_person_told(chat: FilingChat) -> None:
    turn = Reminding(chat, asking(1, "I'm in Bangkok, remind me of water at 9"))
    made = turn.made("water", zone="Asia/Bangkok", rule="FREQ=DAILY")

    assert (made.start, made.zone, made.place) == (LATER, "Asia/Bangkok", "Bangkok")
    assert made.due_ms == Schedule(LATER, "Asia/Bangkok").next_after(0)
    shown = turn.call("list_reminders")["reminders"][0]
    assert (shown["next"], shown["zone"]) == (f"{LATER} Tue", "Asia/Bangkok")
    schemas.validator("tools/list_reminders.response").validate(turn.call("list_reminders"))
    (deed,) = turn.overlay.deeds
    assert deed.due is not None
    assert deed.due.place == "Bangkok"


def test_the_zone_of_the_chat_is_not_named(chat: FilingChat) -> None:
    turn = Reminding(chat, asking(1, "water"))

    assert turn.made("water", zone=turn.overlay.zone).place == ""
    assert "zone" not in turn.call("list_reminders")["reminders"][0]


def test_a_change_of_the_time_stays_in_the_persons_zone(chat: FilingChat) -> None:
    turn = Reminding(chat, asking(1, "water"))
    made = turn.made("water", zone="America/New_York")

    later = turn.call("change_reminder", id=made.id, at=LATEST)
    elsewhere = turn.call("change_reminder", id=made.id, zone="Asia/Bangkok")
    at_home = turn.call("change_reminder", id=made.id, zone=turn.overlay.zone)

    assert (later["next"][:16], later["zone"]) == (LATEST, "America/New_York")
    assert (elsewhere["next"][:16], elsewhere["zone"]) == (LATEST, "Asia/Bangkok")
    assert (at_home["next"][:16], "zone" in at_home) == (LATEST, False)


@pytest.mark.parametrize("zone", ["Bangkok", "Asia", "../etc/passwd", "/etc/passwd", "UTC+7", "Asia/Bangkok\0"])
def test_an_unknown_zone_sets_nothing(chat: FilingChat, zone: str) -> None:
    turn = Reminding(chat, asking(1, "water"))

    fault = turn.call("create_reminder", text="water", at=LATER, zone=zone)

    assert isinstance(fault, ToolFault)
    assert fault.may_retry
    assert "is no time zone such as Asia/Bangkok" in fault.message
    assert turn.overlay.list() == ()


def test_a_zone_takes_a_tap_after_a_reading(chat: FilingChat) -> None:
    turn = Reminding(chat, asking(1, "2030年1月1日9時に薬を飲むってリマインドして"))
    turn.context.untrusted_input.record_outside("web_search")

    assert turn.call("create_reminder", text="薬を飲む", at=LATER, zone="Asia/Bangkok") == NeedsTap(name="薬を飲む")


def test_a_weekday_is_that_of_the_persons_zone(chat: FilingChat) -> None:
    turn = Reminding(chat, asking(1, "2030年1月1日(月)に水"))

    assert isinstance(turn.call("create_reminder", text="水", at=LATER, zone="Asia/Bangkok"), ToolFault)


def test_the_right_weekday_sets_the_reminder(chat: FilingChat) -> None:
    assert Reminding(chat, asking(1, "2030年1月1日(火)に水")).made("水").start == LATER


@pytest.mark.parametrize(("at", "rule"), [(LATEST, None), (LATER, "FREQ=DAILY")])
def test_a_reminder_of_another_time_is_another_one(chat: FilingChat, at: str, rule: str | None) -> None:
    turn = Reminding(chat, asking(1, "water"))
    turn.made("water")
    turn.call("create_reminder", text="water", at=at, **({"rule": rule} if rule else {}))

    assert len(turn.overlay.list()) == 2


def test_a_reminder_came_from_the_entry_that_it_repeats(chat: FilingChat) -> None:
    chat.file("庭の工事を月曜に始める", asking(1, "庭の工事を月曜に始める"))
    chat.file("牛乳を買って帰る", asking(2, "牛乳を買って帰る"), name="牛乳")
    turn = Reminding(chat, asking(3, "思い出させて"))

    assert ids(turn.made("庭の工事を月曜に始める")) == {"m1", "m3"}
    assert ids(Reminding(chat, asking(4, "水")).made("水を飲む")) == {"m4"}


def test_a_reminder_is_made_where_nothing_can_be_filed(chat: FilingChat) -> None:
    turn = Reminding(chat, asking(1, "水"))
    turn.context = replace(turn.context, staged=Staged((turn.overlay,)))

    assert ids(turn.made("水を飲む")) == {"m1"}


@pytest.mark.parametrize(
    ("text", "is_repeated"), [("薬", True), ("薬を飲む、毎朝", True), ("薬を飲む", True), ("散歩", False)]
)
def test_a_reminder_came_from_another_one_that_was_shown_and_holds_its_words(
    chat: FilingChat, text: str, *, is_repeated: bool
) -> None:
    first = Reminding(chat, asking(1, "薬を飲む"))
    first.made("薬を飲む")
    second = of_same_reminders(Reminding(chat, asking(2, "もう一つ")), first)

    assert ids(second.made(text)) == ({"m1", "m2"} if is_repeated else {"m2"})


def test_a_reminder_in_the_persons_own_words_is_not_from_one_that_says_the_same(chat: FilingChat) -> None:
    first = Reminding(chat, asking(1, "薬を飲む", by=KEN))
    first.made("薬を飲む")

    second = of_same_reminders(Reminding(chat, asking(2, "毎朝七時に薬を飲む、と教えて")), first)

    assert ids(second.made("毎朝七時に薬を飲む")) == {"m2"}


def test_who_moves_what_another_member_asked_for_is_no_source_of_it(chat: FilingChat) -> None:
    first = Reminding(chat, asking(1, "薬を飲む"))
    made = first.made("薬を飲む")

    for number, arguments in enumerate(({"at": LATEST}, {"at": LATER, "text": "薬を飲む"}), start=2):
        moved = of_same_reminders(Reminding(chat, asking(number, "あしたにして", by=KEN)), first)
        moved.call("change_reminder", id=made.id, **arguments)
        assert ids(first.overlay.show(made.id)) == {"m1"}
    own = of_same_reminders(Reminding(chat, asking(4, "あさってにして")), first)
    own.call("change_reminder", id=made.id, at=LATEST)
    assert ids(first.overlay.show(made.id)) == {"m1", "m4"}


@pytest.mark.parametrize(
    ("said", "text", "sources"),
    [
        ("水を飲む、に変えて", "水を飲む", {"m2"}),
        ("お昼も、と足して", "薬を飲む、お昼も", {"m1", "m2"}),
    ],
)
def test_a_reworded_reminder_came_from_who_reworded_it_and_from_what_it_still_repeats(
    chat: FilingChat, said: str, text: str, sources: set[str]
) -> None:
    first = Reminding(chat, asking(1, "薬を飲む"))
    made = first.made("薬を飲む")

    second = of_same_reminders(Reminding(chat, asking(2, said, by=KEN)), first)
    second.call("change_reminder", id=made.id, text=text)

    assert ids(first.overlay.show(made.id)) == sources


def test_a_change_keeps_what_it_does_not_name(chat: FilingChat) -> None:
    chat.file("庭の工事を月曜に始める", asking(1, "庭の工事を月曜に始める"))
    turn = Reminding(chat, asking(2, "薬"))
    made = turn.made("薬を飲む", rule="FREQ=DAILY")

    moved = turn.call("change_reminder", id=made.id, at=LATEST)
    assert (moved["text"], moved["rule"], moved["next"][:16]) == ("薬を飲む", "FREQ=DAILY", LATEST)
    assert ids(turn.overlay.show(made.id)) == {"m2"}
    renamed = turn.call("change_reminder", id=made.id, text="薬を二つ")
    assert (renamed["text"], renamed["rule"], renamed["next"][:16]) == ("薬を二つ", "FREQ=DAILY", LATEST)
    once = turn.call("change_reminder", id=made.id, rule="")
    assert (once["text"], "rule" in once, "waits" in once) == ("薬を二つ", False, False)


def test_a_reminder_that_the_person_does_not_name_waits_for_a_tap_after_a_reading(chat: FilingChat) -> None:
    turn = Reminding(chat, asking(1, "それ"))
    made = turn.made("薬を飲む")
    turn.context.untrusted_input.record_outside("web_search")

    for name in ("change_reminder", "cancel_reminder"):
        assert turn.call(name, id=made.id, at=LATEST) == NeedsTap(name="薬を飲む", due_at=made.start)
    assert turn.call("create_reminder", text="散歩", at=LATEST) == NeedsTap(name="散歩")


def test_nothing_is_set_or_changed_in_a_group_while_its_cost_is_unknown() -> None:
    costs = Costs(4)
    turn = Reminding(FilingChat(chat=GROUP), asking(1, "薬"), costs=costs)
    result = turn.call("create_reminder", text="薬", at=LATER)
    assert result["messages_each_time"] == 4
    costs.cost = None

    for name, arguments in (("create_reminder", {"text": "薬"}), ("change_reminder", {"id": result["id"]})):
        fault = turn.call(name, at=LATEST, **arguments)
        assert isinstance(fault, ToolFault)
        assert "LINE did not say" in fault.message


@pytest.mark.parametrize(("arguments", "count"), [({}, 3), ({"limit": 2}, 2), ({"limit": 2.0}, 2)])
def test_as_many_reminders_are_listed_as_wanted(chat: FilingChat, arguments: Json, count: int) -> None:
    turn = Reminding(chat, asking(1, "薬"))
    for text in ("a", "b", "c"):
        turn.made(text)

    listed = turn.call("list_reminders", **arguments)

    assert (len(listed["reminders"]), listed["total"]) == (count, 3)


def test_a_reminder_that_waits_for_its_chat_is_shown_as_waiting(chat: FilingChat) -> None:
    reminders = ReminderChat(chat.conversation)
    made = reminders.remind("薬を飲む", at=LATER, rule="FREQ=DAILY")
    name = chat.conversation.names.reminder(made.id)
    stored = chat.store.read(name)
    assert stored is not None
    chat.store.replace(name, encode(replace(made, kept_ms=made.due_ms)), generation=stored.generation)

    (listed,) = Reminding(chat, asking(1, "薬")).call("list_reminders")["reminders"]

    assert listed["waits"] is True


@pytest.mark.parametrize(
    ("rule", "is_told"),
    [
        ("FREQ=MONTHLY;BYMONTHDAY=31", True),
        ("FREQ=MONTHLY;BYMONTHDAY=28", False),
        ("FREQ=MONTHLY", False),
        ("FREQ=DAILY", False),
    ],
)
def test_the_months_that_a_reminder_leaves_out_are_told(chat: FilingChat, rule: str, *, is_told: bool) -> None:
    turn = Reminding(chat, asking(1, "rent at the end of each month"))

    made = turn.call("create_reminder", text="rent", at=LATER, rule=rule)
    changed = turn.call("change_reminder", id=made["id"], at=LATEST)

    assert ("left_out" in made, "left_out" in changed) == (is_told, is_told)
    for tool, result in (("create_reminder", made), ("change_reminder", changed)):
        schemas.validator(f"tools/{tool}.response").validate(result)


@pytest.mark.parametrize(
    ("carries", "told"),
    [
        (None, None),
        (0, "carries 0 of its 3 times"),
        (2, "carries 2 of its 3 times"),
    ],
)
def test_a_reminder_that_the_quota_does_not_carry_says_so(
    chat: FilingChat, carries: int | None, told: str | None
) -> None:
    turn = Reminding(chat, asking(1, "薬"), costs=Costs(1, carries=carries))

    result = turn.call("create_reminder", text="薬", at=LATER, rule="FREQ=DAILY;COUNT=3")

    assert (told is None and "quota" not in result) or (told is not None and told in result["quota"])
    [deed] = turn.overlay.deeds
    assert deed.due is not None
    assert deed.due.carried == carries


def test_the_quota_has_to_carry_what_else_is_due_in_the_chat(chat: FilingChat) -> None:
    costs = Costs(1)
    turn = Reminding(chat, asking(1, "薬"), costs=costs)
    turn.call("create_reminder", text="水", at=LATER)

    turn.call("create_reminder", text="薬", at=LATER, rule="FREQ=DAILY;COUNT=2")

    assert sorted(is_own for _, is_own in costs.due) == [False, True, True]


def test_a_changed_reminder_that_the_quota_does_not_carry_says_so(chat: FilingChat) -> None:
    turn = Reminding(chat, asking(1, "薬"), costs=Costs(1, carries=0))
    made = turn.made("薬")

    assert "quota" in turn.call("change_reminder", id=made.id, at=LATEST)


def test_only_the_list_of_reminders_is_a_reading() -> None:
    tools = ReminderTools().tools()

    assert {tool.name for tool in tools if tool.is_reading} == {"list_reminders"}
    assert {tool.name for tool in tools if not tool.stages} == {"list_reminders"}
