"""The open entries and the digest of a chat, as texts that name the messages behind the entries."""

from shared.conversation.amendment_records import Amendment
from shared.conversation.amendments import Amendments
from shared.conversation.overview import Overview
from shared.knowledge.overview import FiledEntries, digest_of_today, open_entries
from shared.line.phrases import LocalePhrases, Phrase
from tests.support.knowledge import MOMO, TOKYO, FilingChat, message
from tests.support.phrases import NamedPhrases

JAPANESE = LocalePhrases(locale="ja", bot_name=MOMO)


def listed(chat: FilingChat) -> Overview:
    return open_entries(FiledEntries.read(chat.conversation), phrases=JAPANESE, locale="ja")


def test_open_entries_are_listed_by_category_with_their_next_step() -> None:
    chat = FilingChat()
    chat.file("牛乳を買う", category="admin", name="牛乳を買う", due_date="2025-11-25")
    chat.file("庭の工事", category="projects", name="庭の工事", next_action="業者に電話")
    chat.file("屋上に菜園", category="ideas", name="屋上に菜園")

    assert listed(chat).text.splitlines() == [
        "メモ（3件）：",
        "[プロジェクト]",
        "・庭の工事: 業者に電話",
        "[用事]",
        "・牛乳を買う: 11月25日(火)",
        "[アイデア]",
        "・屋上に菜園",
    ]


def test_an_entry_that_is_done_is_not_listed() -> None:
    chat = FilingChat()
    path = chat.file("牛乳を買う", category="admin", name="牛乳を買う")
    chat.once("update_entry", path=path, updates={"status": "done"})

    filed = FiledEntries.read(chat.conversation)
    assert open_entries(filed, phrases=NamedPhrases(), locale="ja").text == Phrase.NOTES_NONE.value


def test_thirty_entries_are_listed_and_the_others_counted() -> None:
    chat = FilingChat()
    for number in range(31):
        chat.file(f"考え{number}", category="ideas", name=f"考え{number}")

    overview = listed(chat)

    assert overview.text.startswith("メモ（31件）：")
    assert overview.text.endswith("\n… +1")
    assert len(overview.provenance.message_ids) == 30


def test_an_entry_of_a_withdrawn_message_is_in_no_overview() -> None:
    chat = FilingChat()
    chat.file("庭の工事", message(1, "庭の工事"), name="庭の工事", next_action="電話")
    chat.file("屋根の工事", message(2, "屋根の工事"), name="屋根の工事", next_action="見積")
    chat.conversation.amendments.amend(Amendment(line_message_id="m1", timestamp_ms=9_000))

    today = digest_of_today(FiledEntries.read(chat.conversation), locale="ja", time_zone=TOKYO)

    assert "庭" not in listed(chat).text + today.text
    assert "屋根の工事" in listed(chat).text
    assert "屋根の工事" in today.text
    assert listed(chat).provenance.message_ids == today.provenance.message_ids == {"m2"}


def test_an_erasure_that_comes_later_covers_what_was_listed() -> None:
    chat = FilingChat()
    chat.file(name="庭の工事")

    assert listed(chat).provenance.is_affected_by(Amendments(erased_entries_ms=0))


def test_a_name_that_reads_like_a_receipt_or_an_id_is_listed_without_it() -> None:
    chat = FilingChat()
    chat.file(name="✓ 削除：「牛乳」 U" + "1" * 32)

    assert "✓" not in listed(chat).text
    assert "1111" not in listed(chat).text
