import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.search import folding
from shared.search.folding import fold, loosen, without_okurigana


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("臺北", "台北"),
        ("國會", "国会"),
        ("齋藤", "斉藤"),
        ("髙橋", "高橋"),
        ("備份鑰匙", "备份钥匙"),
        ("コンピューター", "コンピュータ"),
        ("ヴァイオリン", "バイオリン"),
        ("Café", "cafe"),
        ("เว็บ", "เวบ"),
        ("wi-fi", "Wi Fi"),
    ],
)
def test_spellings_of_one_word_are_loosened_to_the_same(one: str, other: str) -> None:
    assert loosen(fold(one)) == loosen(fold(other))


@pytest.mark.parametrize("other", ["引越し", "引っ越し", "引っこし"])
def test_kana_between_kanji_make_no_difference(other: str) -> None:
    whole = without_okurigana(loosen(fold(other)))

    assert whole == ("引越し" if "越" in other else "引っこし")


def test_longer_kana_between_kanji_stay() -> None:
    assert without_okurigana(loosen(fold("水とパンと卵"))) == "水とぱんと卵"


@given(st.lists(st.text(max_size=20), max_size=5))
def test_lines_stay_lines(lines: list[str]) -> None:
    joined = "\n".join(map(fold, lines))

    assert loosen(joined).count("\n") == without_okurigana(loosen(joined)).count("\n") == max(0, len(lines) - 1)


@given(st.text(max_size=60))
def test_a_loosened_text_is_at_most_three_times_as_long(text: str) -> None:
    assert len(loosen(fold(text))) <= 3 * len(fold(text)) + 2


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("㌖ １", "きろめーとる 1"),
        ("ﷺ Ａ ﷺ", "ﷺ a ﷺ"),
        ("ａ" * 3 + "ﷺ", "aaaﷺ"),
    ],
)
def test_signs_are_written_out_in_six_characters_at_most(text: str, folded: str) -> None:
    assert fold(text) == folded


def test_variants_of_kanji_are_read_from_their_table() -> None:
    read = folding._loose_characters.__wrapped__()  # noqa: SLF001 - what is kept of it may have been read before

    assert read[ord("臺")] == ord("台")
