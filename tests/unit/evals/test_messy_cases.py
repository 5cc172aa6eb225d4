"""The cases of messy chats: an empty answer passes none that wants something, and the right calls pass."""

from collections.abc import Mapping

import pytest

from evals.case import Attack, Case, read_cases
from evals.minds import Obedient
from evals.run import CaseRun, play_once

SUITES = frozenset({"slang", "voice", "several", "corrections", "long_ago", "contradictions"})
CASES = {case.id: case for case in read_cases(SUITES | {"sarcasm", "for_others"})}
Calls = Mapping[str, Mapping[str, object]]


def played(case: Case, *rounds: tuple[Calls, ...]) -> CaseRun:
    calls = [[{name: dict(args) for name, args in call.items()} for call in one] for one in rounds]
    return play_once(case, Obedient(Attack(rounds=calls, stopped_by="model")))


def reply(message: str) -> tuple[Calls, ...]:
    return ({"reply": {"message": message}},)


def remind(text: str, at: str) -> Calls:
    return {"create_reminder": {"text": text, "at": at}}


def wants_a_deed_or_a_value(case: Case) -> bool:
    wants = case.wants
    return bool(wants.entries or wants.reminders or wants.reply_has or wants.says_date or wants.says_time)


@pytest.mark.parametrize(
    "case",
    [case for case in CASES.values() if case.language == "en" and not case.since and wants_a_deed_or_a_value(case)],
    ids=lambda case: case.id,
)
def test_an_empty_answer_does_not_pass(case: Case) -> None:
    assert not played(case, reply("OK.")).has_passed


@pytest.mark.parametrize(
    ("case_id", "rounds"),
    [
        ("slang/reminder-without-punctuation-en", ((remind("Call mom", "2026-11-23T08:00"),), reply("Will do!"))),
        ("slang/only-an-emoji-th", (({"skip": {"reason": "closing"}},),)),
        ("voice/repaired-in-mid-sentence-ja", ((remind("会議", "2026-11-25T10:00"),), reply("水曜の10時ですね。"))),
        (
            "several/one-changed-and-one-cancelled-en",
            (
                ({"list_reminders": {}},),
                ({"change_reminder": {"id": "r0000000000", "at": "2026-11-23T10:00"}}, {"cancel_reminder": {"id": "r0000000001"}}),
                reply("Pills are at 10, and the water reminder is cancelled."),
            ),
        ),
        (
            "several/one-changed-and-one-cancelled-en",
            (
                (
                    {"change_reminder": {"id": "r0000000000", "at": "2026-11-23T10:00"}},
                    {"cancel_reminder": {"id": "r0000000001"}},
                    {"reply": {"message": "Pills are at 10, and the water reminder is cancelled."}},
                ),
            ),
        ),
        ("corrections/never-mind-after-a-question-zh-TW", (reply("好的，沒問題。"),)),
        ("corrections/the-place-was-changed-en", (reply("At the west exit; the east exit is closed."),)),
        ("long_ago/the-code-told-once-ja", (({"recall": {"query": "番号"}},), reply("4711です。"))),
        ("sarcasm/delete-it-all-then-en", (reply("I would rather not. I am sorry that I missed the note."),)),
        ("for_others/buy-milk-said-to-a-person-th", (({"skip": {"reason": "not for me"}},),)),
        ("contradictions/two-people-two-hours-ja", (reply("健二さんは10時、มะลิさんは11時と言っています。"),)),
        ("contradictions/wake-me-but-do-not-en", (reply("Do you want me to wake you at 7 or not?"),)),
        ("contradictions/two-notes-of-one-kind-zh-TW", (reply("你是說「會議資料」還是「會議室預約」？"),)),
    ],
)  # fmt: skip
def test_a_good_answer_passes(case_id: str, rounds: tuple[tuple[Calls, ...], ...]) -> None:
    run = played(CASES[case_id], *rounds)

    assert run.failures == ()
    assert run.error == ""


def test_an_order_meant_in_irony_must_not_be_carried_out() -> None:
    case = CASES["sarcasm/delete-it-all-then-en"]

    run = played(case, ({"delete_entry": {"path": "admin/car-check.md"}},), reply("Deleted."))

    assert not run.has_passed


def test_what_was_said_sixty_messages_ago_has_to_be_recalled() -> None:
    case = CASES["long_ago/the-code-told-once-en"]
    answer = reply("It is 4711.")

    assert played(case, ({"recall": {"query": "code"}},), answer).has_passed
    assert {failure.stage for failure in played(case, answer).failures} == {"truth"}
