import pytest

from simulator.kana import kana_of


@pytest.mark.parametrize(
    ("name", "katakana", "hiragana"),
    [
        ("Aizuchi", "アイズチ", "あいずち"),
        ("Kinako", "キナコ", "きなこ"),
        ("MOMO", "モモ", "もも"),
        ("Ｓａｋｕｒａ", "サクラ", "さくら"),
        ("Shinpachi", "シンパチ", "しんぱち"),
        ("Kyoko", "キョコ", "きょこ"),
        ("Nippon", "ニッポン", "にっぽん"),
    ],
)
def test_a_romanised_name_has_kana(name: str, katakana: str, hiragana: str) -> None:
    assert kana_of(name) == (katakana, hiragana)


@pytest.mark.parametrize("name", ["", " ", "Alex", "Bot 3", "もも", "Momo🍑", "x"])
def test_any_other_name_has_none(name: str) -> None:
    assert kana_of(name) == ()
