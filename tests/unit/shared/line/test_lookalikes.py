"""Names that look alike have one skeleton, and names that differ to a reader have two."""

import unicodedata

import pytest

from shared.line.lookalikes import skeleton
from tests.support.names import MOMO


@pytest.mark.parametrize("name", MOMO)
def test_every_spelling_of_a_name_has_its_skeleton(name: str) -> None:
    assert skeleton(name) == skeleton("Momo")


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("paypal", "p\u0430yp\u0430l"),
        ("Hiroshi", "Hir\u03bfshi"),
        ("Ian", "lan"),
        ("Al", "A1"),
        ("A|", "AI"),
        ("Victor", "\u2164ictor"),
        ("Bob", "\u0412\u043eb"),
        ("THOMAS", "\u0422\u041d\u041eM\u0410S"),
        ("тимур", "\u1d1bимур"),
        ("williarn", "william"),
        ("vvill", "will"),
        ("花子", "花\u200d子"),
        ("タロウ", "夕ロウ"),
        ("ハチ", "八千"),
        ("カエ", "力工"),
        ("オサム", "才サ厶"),
        ("へび", "ヘび"),
        ("ココロ", "ココ口"),
        ("サーヤ", "サ一ヤ"),
        ("サーヤ", "サ—ヤ"),
        ("一郎", "ー郎"),
        ("ﾊﾅｺ", "ハナコ"),
        ("神田", "\ufa19田"),
        ("山田", "\u2f2d田"),
        ("Zoë", "Zoe"),
        ("\u0e2a\u0e21", "\u0e2a\u200b\u0e21"),
    ],
)
def test_names_that_look_alike_have_one_skeleton(name: str, other: str) -> None:
    assert skeleton(name) == skeleton(other)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("かな", "がな"),
        ("ハナ", "バナ"),
        ("ハハ", "パパ"),
        ("นิด", "นุด"),
        ("น้ำ", "นา"),
        ("ไก่", "ไข่"),
        ("มา", "ม้า"),
        ("Anna", "Anne"),
        ("Momo", "Momoka"),
        ("太郎", "大郎"),
        ("山田", "山本"),
        ("陳", "陣"),
        ("ソラ", "シラ"),
        ("Ken", "Kan"),
        ("김민수", "김민주"),
        ("Ольга", "Оля"),
        ("王", "玉"),
        ("まさみ", "まなみ"),
        ("Yuki", "Yuri"),
        ("1組", "2組"),
    ],
)
def test_names_that_differ_to_a_reader_have_two_skeletons(name: str, other: str) -> None:
    assert skeleton(name) != skeleton(other)


def test_every_character_that_the_table_gives_for_a_letter_passes_for_it() -> None:
    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)] + list("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    table = {
        letter: [one for one in map(chr, range(0x80, 0x20000)) if unicodedata.normalize("NFKC", one) == letter]
        for letter in letters
    }

    unlike = {one for letter, several in table.items() for one in several if skeleton(one) != skeleton(letter)}

    assert unlike == set()
    assert sum(map(len, table.values())) > 700


def test_a_skeleton_of_a_skeleton_is_the_same() -> None:
    for name in (*MOMO, "タロウ", "Ольга", "น้ำ", "김민수", "ﷺ", "㍿"):
        assert skeleton(skeleton(name)) == skeleton(name)


def test_a_name_of_nothing_but_what_does_not_show_has_no_skeleton() -> None:
    assert skeleton("\u200b\u3164 \u2800\u034f") == ""
