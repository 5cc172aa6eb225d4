"""What other people said themselves stays: a member who takes back common words takes no entry or reminder of others with them."""

from typing import Final

import pytest

from shared.adapters.memory.scripted_model import calling
from tests.support.chats import everything_in
from tests.support.people import Person
from tests.support.pushed import PushedWorker

HANA, KEN, MALLORY = ("U" + one * 32 for one in "123")
OK: Final = calling(("reply", {"message": "了解"}))
BAITS: Final = (
    "よろしくお願いします。来週の月曜から。会議の資料を。家賃の振込は。本社の会議は。アパートの暗証番号は。牛乳を買う",
    "2026-12-01 2026-11-30 4711-1234 0000",
    "please remember to pay the rent by. the password for the wifi is. call the doctor about the",
)
NOTES: Final = (
    (HANA, "本社の会議", "本社の会議は2026-12-01、資料は先方"),
    (KEN, "家賃", "家賃の振込は2026-11-30までに"),
    (HANA, "暗証番号", "アパートの暗証番号は 4711-1234"),
    (KEN, "牛乳", "牛乳を買う"),
    (KEN, "rent", "please remember to pay the rent by the 30th"),
    (HANA, "wifi", "the password for the wifi is swordfish"),
)


def file_notes(member: Person) -> None:
    for who, name, text in NOTES:
        member.worker.json_model.steps = [{"category": "projects", "confidence": 0.9, "name": name}]
        member.asks(f"{text}、覚えておいて", calling(("classify_and_capture", {"text": text})), OK, by=who)


def notes_in(worker: PushedWorker) -> set[str]:
    """Return the texts that the bucket's entries hold."""
    stored = (worker.store.read(one.name) for one in worker.store.list("entries/") if one.name.endswith(".md"))
    bodies = "\n".join(one.data.decode() for one in stored if one is not None)
    return {text for _, _, text in NOTES if text in bodies}


@pytest.mark.parametrize("bait", BAITS)
@pytest.mark.parametrize("way", ["unsend", "edit", "/forget me"])
def test_common_words_that_a_member_takes_back_leave_the_notes_of_others(member: Person, way: str, bait: str) -> None:
    said = member.sends(member.events.text(bait, by=MALLORY))
    file_notes(member)

    match way:
        case "unsend":
            member.worker.withdraw(member.events.chat_id, said["message"]["id"])
        case "edit":
            message = {"id": said["message"]["id"], "type": "text", "text": "x"}
            member.sends(member.events.event("messageEdited", by=MALLORY, message=message))
        case _:
            member.sends(member.events.text("/forget me", by=MALLORY))

    assert notes_in(member.worker) == {text for _, _, text in NOTES}
    assert bait not in everything_in(member.worker.store)


@pytest.mark.parametrize("is_by_forget_me", [True, False])
def test_what_a_member_filed_goes_with_the_message_although_others_said_common_words(
    member: Person, *, is_by_forget_me: bool
) -> None:
    for bait in BAITS:
        member.sends(member.events.text(bait, by=MALLORY))
    file_notes(member)

    if is_by_forget_me:
        member.sends(member.events.text("/forget me", by=KEN))
    else:
        for place, (who, _, _) in enumerate(NOTES, start=len(BAITS) + 1):
            if who == KEN:
                member.worker.withdraw(member.events.chat_id, f"m{place}")

    assert notes_in(member.worker) == {text for who, _, text in NOTES if who == HANA}


def test_words_that_another_member_says_too_stay_with_that_members_note(member: Person) -> None:
    said = member.sends(member.events.text("窓際の青い箱の中にある", by=MALLORY))
    text = "鍵は窓際の青い箱の中にある"
    member.worker.json_model.steps = [{"category": "projects", "confidence": 0.9, "name": "鍵"}] * 2
    member.asks(f"{text}、覚えて", calling(("classify_and_capture", {"text": text})), OK, by=HANA)
    member.asks(
        "さっきの箱のも覚えて", calling(("classify_and_capture", {"text": "窓際の青い箱の中、らしい"})), OK, by=KEN
    )

    member.worker.withdraw(member.events.chat_id, said["message"]["id"])

    entries = [one.name for one in member.worker.store.list("entries/") if one.name.endswith("/鍵.md")]
    [stored] = [member.worker.store.read(one) for one in entries]
    assert stored is not None
    assert text in stored.data.decode()
