import pytest

from shared.adapters.memory import MemoryObjectStore
from shared.reminders.reminder import REMINDERS_PATH, Reminder, ReminderKind
from shared.storage.codec import encode
from shared.storage.due_marker import DueMarker
from tests.simulation.withdrawals import Withdrawals

CHAT = "U" + "1" * 32
OTHER = "U" + "3" * 32


def handled(withdrawals: Withdrawals, subject_id: str | None) -> list[str]:
    found: list[str] = []
    withdrawals.acknowledge(CHAT, subject_id, lambda: found.append("handled"))
    return found


def test_a_withdrawal_without_a_marker_is_handled_when_it_is_acknowledged() -> None:
    withdrawals = Withdrawals(objects=MemoryObjectStore())

    assert handled(withdrawals, "m1") == ["handled"]


def test_a_withdrawal_is_handled_once_its_marker_is_gone() -> None:
    objects = MemoryObjectStore()
    name = f"due/29400000/withdrawal.{CHAT}.m1"
    objects.create(name, b"")
    withdrawals = Withdrawals(objects=objects)

    effects = handled(withdrawals, "m1")
    assert effects == []

    objects.delete(name)
    withdrawals.look()
    withdrawals.look()
    assert effects == ["handled"]


def test_markers_of_other_messages_chats_and_kinds_do_not_count() -> None:
    objects = MemoryObjectStore()
    for name in (f"withdrawal.{CHAT}.m2", f"withdrawal.{OTHER}.m1", f"reminder.{CHAT}.m1"):
        objects.create(f"due/29400000/{name}", b"")

    assert handled(Withdrawals(objects=objects), "m1") == ["handled"]


def test_an_erasure_waits_for_every_erasure_of_its_chat() -> None:
    objects = MemoryObjectStore()
    objects.create(f"due/29400000/erasure.{CHAT}.1763700000000", b"")
    objects.create(f"due/29400000/withdrawal.{OTHER}.m2", b"")

    assert handled(Withdrawals(objects=objects), None) == []
    objects.delete(f"due/29400000/erasure.{CHAT}.1763700000000")
    assert handled(Withdrawals(objects=objects), None) == ["handled"]


def test_a_marker_is_overdue_once_a_tick_should_have_carried_it_out() -> None:
    objects = MemoryObjectStore()
    due_ms = 1_763_700_000_000
    objects.create(DueMarker.at(due_ms, kind="reminder", conversation_id=CHAT, id="r1").name, b"")

    def has_overdue(at_s: float) -> bool:
        return Withdrawals(objects=objects, now_ms=lambda: due_ms + round(at_s * 1_000)).has_overdue(60)

    assert [has_overdue(at_s) for at_s in (-600, 0, 59, 61, 600)] == [False, False, False, True, True]


@pytest.mark.parametrize(("kind", "at_s"), [(ReminderKind.CHAT_SUMMARY, 1_860), (ReminderKind.TEXT, 60)])
def test_a_summary_is_overdue_once_no_tick_tries_to_make_it(kind: ReminderKind, at_s: int) -> None:
    objects, due_ms = MemoryObjectStore(), 1_763_700_000_000
    objects.create(DueMarker.at(due_ms, kind="reminder", conversation_id=CHAT, id="r1").name, b"")
    reminder = Reminder(id="r1", kind=kind, text="", start="2025-11-21T13:40", zone="Asia/Tokyo", due_ms=due_ms)
    objects.create(f"{REMINDERS_PATH}{CHAT}/r1.json", encode(reminder))

    def has_overdue(later_s: int) -> bool:
        return Withdrawals(objects=objects, now_ms=lambda: due_ms + (at_s + later_s) * 1_000).has_overdue(60)

    assert [has_overdue(later_s) for later_s in (-1, 1)] == [False, True]
