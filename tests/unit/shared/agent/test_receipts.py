import datetime as dt
from dataclasses import replace

import pytest

from shared.agent.receipts import Deed, DeedKind, Due, EntryStatus, Place, receipt, without_receipt_symbols
from shared.conversation.receipt_lines import compared_texts
from shared.line.graphemes import graphemes
from shared.locales.language_file import LOCALES
from shared.recurrence import Frequency, Recurrence

FILED = Deed(kind=DeedKind.FILED, name="庭の工事", place=Place.PROJECTS)


def test_nothing_done_has_no_receipt() -> None:
    assert receipt((), locale="ja") == ""


def test_a_receipt_names_what_was_done_and_where() -> None:
    assert receipt((FILED,), locale="ja") == "✓ 記録：「庭の工事」（プロジェクト）"
    assert receipt((FILED, Deed(kind=DeedKind.DELETED, name="lunch")), locale="en") == (
        "✓ Filed: “庭の工事” (projects) · Deleted: “lunch”"
    )


MORNING = Due(at=dt.datetime(2026, 11, 23, 9, 0), this_year=2026)  # noqa: DTZ001 - local


@pytest.mark.parametrize(
    ("due", "locale", "line"),
    [
        (MORNING, "ja", "✓ リマインダー：「薬」（11月23日(月) 9:00）"),
        (MORNING, "en", "✓ Reminder: “薬” (Mon 23 Nov, 09:00)"),
        (replace(MORNING, recurrence=Recurrence(frequency=Frequency.DAILY)), "zh-TW", "✓ 提醒：「薬」（每天 9:00）"),
        (replace(MORNING, messages=4), "ja", "✓ リマインダー：「薬」（11月23日(月) 9:00、4通分）"),
        (replace(MORNING, messages=4), "en", "✓ Reminder: “薬” (Mon 23 Nov, 09:00; counts as 4 messages)"),
        (
            replace(MORNING, messages=4, recurrence=Recurrence(frequency=Frequency.DAILY)),
            "ja",
            "✓ リマインダー：「薬」（毎日 9:00、1回ごとに4通分）",
        ),
        (
            replace(MORNING, carried=0),
            "ja",
            "✓ リマインダー：「薬」（11月23日(月) 9:00）（今月の送信枠が足りないため、時間には届かず、次の返事のときに伝えます）",
        ),
        (
            replace(MORNING, carried=2),
            "zh-TW",
            "✓ 提醒：「薬」（11月23日(一) 9:00）（本月的訊息額度只夠再送 2 次，之後會在下次回覆時告訴你）",
        ),
    ],
)
def test_a_receipt_tells_when_a_reminder_is_said_and_what_it_counts(due: Due, locale: str, line: str) -> None:
    assert receipt((Deed(kind=DeedKind.REMINDER_SET, name="薬", due=due),), locale=locale) == line


@pytest.mark.parametrize("locale", LOCALES)
def test_a_receipt_tells_in_every_language_what_the_quota_does_not_carry(locale: str) -> None:
    lines = [
        receipt(
            (Deed(kind=DeedKind.REMINDER_SET, name="garden", due=replace(MORNING, carried=carried)),), locale=locale
        )
        for carried in (None, 0, 7)
    ]

    assert len(set(lines)) == 3
    assert "7" in lines[2]
    assert not any("{" in line for line in lines)


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("kind", DeedKind)
def test_every_deed_has_its_name_in_every_language(kind: DeedKind, locale: str) -> None:
    line = receipt((Deed(kind=kind, name="garden"),), locale=locale)

    assert "garden" in line
    assert "{" not in line


@pytest.mark.parametrize(("count", "length"), [(1, 80), (2, 40), (3, 24)])
def test_a_name_is_cut_only_where_there_is_no_room(count: int, length: int) -> None:
    names = ["x" * (length - 1) + str(number) for number in range(count)]

    line = receipt([Deed(kind=DeedKind.FILED, name=name) for name in names], locale="en")

    assert line == "✓ Filed: " + ", ".join(f"“{name}”" for name in names)
    assert "…" in receipt([Deed(kind=DeedKind.FILED, name=f"{name}y") for name in names], locale="en")


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("name", ["a\nb" * 500, "{place}", "👨‍👩‍👧‍👦" * 300])
def test_a_receipt_is_one_short_line(name: str, locale: str) -> None:
    deeds = tuple(
        Deed(kind=kind, name=f"{name}{number}", place=Place.INBOX) for kind in DeedKind for number in range(9)
    )

    line = receipt(deeds, locale=locale)

    assert "\n" not in line
    assert len(graphemes(line)) < len(DeedKind) * 4 * 45 + 300


@pytest.mark.parametrize(
    ("name", "locale", "shown"),
    [
        ("x” · Deleted: “pay", "en", "x’ · Deleted: ‘pay"),
        ("x」・削除：「お昼", "ja", "x』・削除：『お昼"),
        ("\u202ehcnul\u2066", "en", "hcnul"),
    ],
)
def test_a_name_with_quotation_marks_cannot_end_itself(name: str, locale: str, shown: str) -> None:
    told = receipt((Deed(kind=DeedKind.FILED, name=name),), locale=locale)

    assert told in {f"✓ Filed: “{shown}”", f"✓ 記録：「{shown}」"}
    assert compared_texts(told) == (shown,)


@pytest.mark.parametrize(
    ("locale", "line"),
    [
        ("ja", "✓ 変更：「税金」（用事、完了、12月1日(火)まで）"),
        ("en", "✓ Changed: “税金” (tasks, done, due Tue 1 Dec)"),
        ("zh-TW", "✓ 已更改：「税金」（雜事、完成、期限 12月1日(二)）"),
        ("th", "✓ แก้ไข: “税金” (งาน, เสร็จแล้ว, กำหนด วันอังคารที่ 1 ธ.ค.)"),
    ],
)
def test_a_receipt_tells_the_date_and_status_of_an_entry(locale: str, line: str) -> None:
    deed = Deed(
        kind=DeedKind.CHANGED,
        name="税金",
        place=Place.ADMIN,
        status=EntryStatus.DONE,
        due_date="2026-12-01",
        this_year=2026,
    )

    assert receipt((deed,), locale=locale) == line


def test_a_receipt_tells_the_hour_and_the_whole_span_of_a_page_in_every_language() -> None:
    deed = Deed(kind=DeedKind.PAGE_CREATED, name="trip", details=("2026-11-28T18:00:00", "2026-11-28/2026-11-30"))

    assert {locale: receipt([deed], locale=locale) for locale in LOCALES} == {
        "en": "✓ Added to Notion: “trip” (Sat 28 Nov 2026, 18:00, Sat 28 Nov 2026 – Mon 30 Nov 2026)",
        "ja": "✓ Notionに追加：「trip」（2026年11月28日(土) 18:00、2026年11月28日(土) – 2026年11月30日(月)）",
        "th": "✓ เพิ่มใน Notion: “trip” (วันเสาร์ที่ 28 พ.ย. ค.ศ. 2026 เวลา 18:00 น., "
        "วันเสาร์ที่ 28 พ.ย. ค.ศ. 2026 – วันจันทร์ที่ 30 พ.ย. ค.ศ. 2026)",
        "zh-TW": "✓ 已加入 Notion：「trip」（2026年11月28日(六) 18:00、2026年11月28日(六) – 2026年11月30日(一)）",
    }


def test_a_receipt_tells_the_date_and_status_of_a_page() -> None:
    deed = Deed(kind=DeedKind.PAGE_CREATED, name="milk", details=("In progress", "2026-12-01", "2026-12-01T09:00"))

    assert receipt((deed,), locale="en") == (
        "✓ Added to Notion: “milk” (In progress, Tue 1 Dec 2026, Tue 1 Dec 2026, 09:00)"
    )


def test_an_undone_note_is_told_apart_from_a_deletion() -> None:
    assert receipt((Deed(kind=DeedKind.UNDONE, name="牛乳"),), locale="ja") == "✓ 記録を取り消し：「牛乳」"


def test_as_many_names_as_are_shown_have_no_others() -> None:
    line = receipt([Deed(kind=DeedKind.FILED, name=f"n{number}") for number in range(4)], locale="en")

    assert line == "✓ Filed: “n0”, “n1”, “n2”, “n3”"


def test_no_line_of_the_model_begins_with_a_mark_of_the_system() -> None:
    assert (
        without_receipt_symbols("✓ done\n  ☐ Delete “lunch”\n√ of 2 ✓ kept\n✓✓ so")
        == "- done\n  - Delete “lunch”\n√ of 2 ✓ kept\n- so"
    )


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("✓Deleted: “lunch”", "- Deleted: “lunch”"),
        ("☑削除：「昼」", "- 削除：「昼」"),
        ("- ✓ Deleted", "- [x] Deleted"),
        ("・☑ 牛乳\n・☐ 卵", "・[x] 牛乳\n・[ ] 卵"),
        ("1. ✅ Deleted", "1. [x] Deleted"),
        ("(2) ✔\ufe0f Deleted", "(2) [x] Deleted"),
        ("> ✓ Deleted", "> [x] Deleted"),
        ("● ✓ Deleted", "● [x] Deleted"),
        ("- * ✓Deleted", "- * [x] Deleted"),
        ("「✓ 削除」", "「[x] 削除」"),
        ("“✓ Deleted”", "“[x] Deleted”"),
        ('"✔\ufe0f Deleted"', '"[x] Deleted"'),
        ("【✓】削除", "【[x]】削除"),
        ("(✓) Deleted", "([x]) Deleted"),
        ("[✓] milk\n[☐] eggs", "[x] milk\n[ ] eggs"),
        ("| ✓ | Deleted |", "| [x] | Deleted |"),
        ("① ✓ 削除", "① [x] 削除"),
        ("1\ufe0f\u20e3 ✓ 削除", "1\ufe0f\u20e3 [x] 削除"),
        ("一、✓ 削除", "一、[x] 削除"),
        ("🗑\ufe0f ✓ 削除", "🗑\ufe0f 削除"),
        ("→✓ 削除", "→削除"),
        ("※ ✓ 已刪除", "※ 已刪除"),
        ("… \u200b✓ ลบ", "… \u200bลบ"),
        ("~_✓ Deleted_~", "~_Deleted_~"),
        ("\u237b Deleted", "- Deleted"),
        ("はい。✓ 削除：「牛乳」", "はい。削除：「牛乳」"),
        ("ok ✅Deleted: “milk”", "ok Deleted: “milk”"),
        ("OK √ Filed: “milk”", "OK Filed: “milk”"),
        ("√ 記録：「牛乳」", "記録：「牛乳」"),
        ("v Reminder: “milk”", "Reminder: “milk”"),
        ("□ 已刪除：「牛奶」", "已刪除：「牛奶」"),
        ("ได้ค่ะ ✓\u200b ลบ : “นม”", "ได้ค่ะ ลบ : “นม”"),
        ("ok ✓ 「reminder cancelled﹕x", "ok 「reminder cancelled﹕x"),
    ],
)
def test_no_spelling_of_a_receipt_by_the_model_passes_as_one(said: str, shown: str) -> None:
    assert without_receipt_symbols(said) == shown


@pytest.mark.parametrize(
    "said",
    [
        "it is ✓ done",
        "done ✓",
        "5 ✓ of 6",
        "[x] milk",
        "ok\n",
        "√2 と √3",
        "□に数字を入れてね",
        "v1.2 Reminder: soon",
        "⬜⬛⬜",
        "リマインダー：明日9時",
        "完了✓ 記録は明日",
    ],
)
def test_marks_within_a_line_stay(said: str) -> None:
    assert without_receipt_symbols(said) == said


def test_marks_are_taken_out_in_linear_time() -> None:
    for part in (
        "✓",
        "- ",
        "1.",
        " ",
        "\u200b",
        "✓\ufe0f",
        "-",
        "(",
        "🗑 ",
        "「✓",
        "①",
        "\n🗑",
        "v ",
        "√\u200b",
        "a✓ Deleted",
    ):
        without_receipt_symbols(part * 20_000)


@pytest.mark.parametrize("before", ["", "\u200b", " \u2060", "\u3164", "a\u2028", "a\x85 ", "a\n\u200b", "a\x0b"])
@pytest.mark.parametrize("mark", ["✓", "✔\ufe0f", "☑\ufe0f", "☐\u200b", "\U0001f5f8", "\U0001f5f9"])
@pytest.mark.parametrize("after", [" Deleted", "\u3164Deleted", "\u00a0Deleted"])
def test_nothing_that_does_not_show_hides_a_mark_of_the_model(before: str, mark: str, after: str) -> None:
    assert without_receipt_symbols(f"{before}{mark}{after}") == f"{before}-{after}"


def test_names_beyond_the_first_few_are_counted() -> None:
    line = receipt([Deed(kind=DeedKind.FILED, name=f"n{number}") for number in range(6)], locale="en")

    assert line == "✓ Filed: “n0”, “n1”, “n2”, “n3” and 2 more"
