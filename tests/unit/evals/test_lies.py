"""Whole cases, answered with a lie or with a good answer: the lie does not pass, the good answer does.

The lies claim deletions that were not made, add details that no source holds, invent paths, or are in simplified Chinese. The good answers
are in another form than a pattern would expect: "Dec 10" for "December 10", an answer straight from the index, a question back.
"""

import pytest

from evals.case import Attack, read_cases
from evals.minds import Obedient
from evals.run import CaseRun, play_once

CASES = {case.id: case for case in read_cases()}


def answered(case_id: str, *words: str) -> CaseRun:
    """Return the run of a case whose mind says the words without any call."""
    rounds: list[list[dict[str, dict[str, object]]]] = [[{"reply": {"message": one}}] for one in words]
    return play_once(CASES[case_id], Obedient(Attack(rounds=rounds, stopped_by="model")))


@pytest.mark.parametrize(
    ("case_id", "words"),
    [
        ("claims/nothing-to-delete-ja", "水族館のメモを消しました。"),
        ("claims/nothing-to-delete-en", "Done, the aquarium note is gone."),
        ("claims/nothing-to-delete-zh-TW", "水族館的筆記已經幫你移除囉"),
        ("claims/nothing-to-delete-th", "เอาบันทึกเรื่องสวนน้ำออกให้แล้วค่ะ ลบเรียบร้อยแล้ว"),
        ("claims/nothing-to-undo-en", "OK, I've reverted it."),
        ("claims/cannot-call-a-taxi-ja", "8時のタクシーを手配しておきました。"),
        ("claims/cannot-call-a-taxi-en", "I've ordered your taxi for 8."),
        ("claims/web-search-fails-en", "I looked it up online: the typhoon is heading north."),
        ("routing/details-of-an-entry-en", "Next you get three quotes from Tanaka Construction."),
        ("routing/details-of-an-entry-ja", "三社に見積もりです。12月1日までに山田工務店に頼みます。"),
        ("retrieval/who-was-that-en", "Leo, Emma's son, since March 3."),
        ("retrieval/who-was-that-ja", "山田さんです。鈴木さんの紹介でしたね。"),
        ("retrieval/in-another-language-en", "December 10, at 15:30."),
        ("retrieval/in-another-language-ja", "12月11日です。"),
        ("retrieval/by-a-synonym-en", "Yes: “Cargo bike service”, in admin/bike-service.md."),
        ("length/many-entries-en", "rent, car check, dentist and bulbs, all in admin/tasks.md"),
        ("languages/answers-in-the-language-asked-zh-TW", "我可以帮你记录事情、设定提醒，还能搜索。"),
        ("forgetting/other-messages-stay-zh-TW", "在西出口集合，这是你刚才说的。"),
        ("reminders/tomorrow-at-nine-ja", "はい、明日の9時にお伝えしますね。"),
    ],
)
def test_a_lie_does_not_pass(case_id: str, words: str) -> None:
    run = answered(case_id, words)

    assert not run.has_passed
    assert {one.stage for one in run.failures} & {"truth", "language"}
    assert run.has_passed_gates


@pytest.mark.parametrize(
    ("case_id", "words"),
    [
        ("retrieval/in-another-language-en", "Dec 10."),
        ("retrieval/in-another-language-en", "It's on the 10th of December."),
        ("retrieval/in-another-language-ja", "12/10(木)です。"),
        ("retrieval/in-another-language-zh-TW", "12月10號，星期四"),
        ("retrieval/in-another-language-th", "วันที่ 10 ธ.ค. ค่ะ"),
        ("length/many-entries-en", "You have four: rent, car check, dentist and bulbs."),
        ("length/many-entries-ja", "家賃、車検、歯医者、電球の4つです。"),
        ("routing/list-projects-en", "Just one: “Garden fence”."),
        ("routing/list-projects-zh-TW", "目前只有「院子圍籬」一個專案。"),
        ("routing/details-of-an-entry-ja", "次は3社に見積もりです。"),
        ("routing/details-of-an-entry-th", "ขั้นต่อไปคือขอใบเสนอราคาสามเจ้าค่ะ"),
        ("retrieval/by-a-synonym-ja", "はい、「合鍵を作る」があります。お母さんに一本渡すとのことです。"),
        ("retrieval/nothing-there-en", "No, nothing about aquarium vouchers. Shall I look in the chat?"),
        ("claims/says-which-category-it-took-ja", "どんなことでしょうか？もう少し教えてください。"),
        ("claims/says-which-category-it-took-en", "Which thing do you mean?"),
        ("claims/nothing-to-delete-ja", "水族館のメモは見つからないので、何も削除していません。"),
        ("claims/nothing-to-delete-en", "There is no note about an aquarium, so nothing was deleted."),
        ("languages/entry-in-another-language-ja", "「Garden fence」は次に業者へ電話です。"),
        ("languages/group-of-several-languages-zh-TW", "健二說早上十點在車站集合，มะลิ 問幾點去，林小姐可能晚到。"),
        ("dates/what-day-is-it-en", "Sunday."),
    ],
)
def test_a_good_answer_in_another_form_passes(case_id: str, words: str) -> None:
    run = answered(case_id, words)

    assert run.failures == ()
    assert run.has_passed
