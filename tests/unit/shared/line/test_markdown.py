import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.line import markdown_rules
from shared.line.markdown import plain_text

FENCED = "```python\nx = 1\n  y = 2 * 3\n```\nafter"


@pytest.fixture(autouse=True)
def _new_parser() -> None:
    """Each test makes the parser, so that none relies on what an earlier one has made."""
    markdown_rules.chat_markdown.cache_clear()


@pytest.mark.parametrize(
    "text",
    [
        *(
            "1 * 2 * 3",
            "2*3*4",
            "a*b*c = d",
            "5*3=15, 4*2=8",
            "2**3**2",
            "*a*b c",
            "f(*args, **kwargs)",
            "**kwargs",
            "f**k s**t",
            "**-**-1234",
            "価格**、数量**、税",
            "x **= 2; y **= 3",
        ),
        *("snake_case_name", "__init__ and __name__", "$x_1 * y_2$", "x[0](y)", "[1] ref", "- [ ] task\n- [x] done"),
        *(
            "<3",
            ":)",
            ">_<",
            "^_^ foo ^_^",
            "m(_ _)m",
            "(*^_^*)",
            "(*≧▽≦)(*´▽`*)",
            "(*ノωノ) (*´▽`*)",
            "(´･ω･`) hi (´･ω･`)",
            "(*あ* x",
        ),
        *("¯\\_(ツ)_/¯", "\\(^o^)/", "_(:3」∠)_", "T_T T_T", "orz_", "わー~~い~~", "~~~\nえー~~~"),
        *(
            "****-****-****-1234",
            "***-***-1234",
            "****",
            "100円*です",
            "p.s. *",
            "`",
            "``",
            "*",
            "-",
            "1.",
            "+1",
            "C:\\Users\\new",
        ),
        *(
            "> quote",
            "&amp; &lt;",
            "<b>bold</b>",
            "5 < 6 > 4",
            "#hashtag",
            "foo\n---\nbar",
            "a\n===",
            "see\n\n[foo]: http://x",
            "a | b",
        ),
        *(
            "https://example.com/a_b_c*d*e?x=_y_",
            "foo@example.com",
            "[a](javascript:x)",
            "1) x\n2) y",
            "- a\n  - b\n- c",
            "- a\n  b",
            "-\n- b",
            "- a\n\n  ---",
            "1. ---",
            "- 1. a",
            "1. -\n2. c",
            "- *\n- b",
            "- - a\n    b\n  - c\n- d",
        ),
        *("line one\nline two", "one\n\ntwo", "こんにちは。\n元気ですか？", "    indented\n    more", ""),
    ],
)
def test_text_without_markdown_is_unchanged(text: str) -> None:
    assert plain_text(text) == text


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("# Title\n\nHello **world** and *you*.", "Title\n\nHello world and you."),
        ("## H\ntext", "H\ntext"),
        ("**「重要」**です", "「重要」です"),
        ("**場所: **渋谷、**時刻： **9時", "場所: 渋谷、時刻： 9時"),
        ("**場所**: **渋谷**、時刻: **9時**", "場所: 渋谷、時刻: 9時"),
        ("合計は**¥1,000**です", "合計は¥1,000です"),
        ("ราคา **฿120** และ **€3**", "ราคา ฿120 และ €3"),
        ("最低気温は**-3℃**、**±0**から**〜10時**", "最低気温は-3℃、±0から〜10時"),
        ("**※注意**と**/help**と**→次へ**", "※注意と/helpと→次へ"),
        ("これは**重要**です。*これ*も", "これは重要です。これも"),
        ("***both***, _it_, ~~old~~ new", "both, it, old new"),
        ("**a *b* c**", "a b c"),
        ("**a *b** c*", "a *b c*"),
        ("*a (*b*", "a (*b"),
        ("*b * c*", "b * c"),
        ("*あ * い*", "あ * い"),
        ("_a _ b_", "a _ b"),
        ("_a_b_", "a_b"),
        ("**L**arge **L**anguage", "Large Language"),
        ("**`code`** and `x = *y*`", "code and x = *y*"),
        ("[text](https://a.b/c_d_e)", "text (https://a.b/c_d_e)"),
        ('[text](https://a.b "title")', "text (https://a.b)"),
        ("[https://a.b](https://a.b/)", "https://a.b/"),
        ("<https://a.b>", "https://a.b"),
        ("<https://a.b/?q=%20%E6%9D%B1>", "https://a.b/?q=%20%E6%9D%B1"),
        ("**https://a.b/c**", "https://a.b/c"),
        ("[mail](mailto:a@b.c) [a@b.c](mailto:a@b.c)", "mail (mailto:a@b.c) a@b.c"),
        ("![a cat](https://a.b/x.png)", "a cat (https://a.b/x.png)"),
        ("[**a** b](https://a.b)", "a b (https://a.b)"),
        ("* a\n* b\n    * c", "- a\n- b\n  - c"),
        ("1. **One**: x\n   more\n2. Two\n\n   para", "1. One: x\n   more\n2. Two\n\n   para"),
        ("| a | b |\n|---|---|\n| 1 | **2** |\n\nafter", "a | b\n1 | 2\n\nafter"),
        (FENCED, "x = 1\n  y = 2 * 3\nafter"),
        ("```\nonly code\n```", "only code"),
        ("```two words\nx\n```", "two words\nx"),
        ("```python\n```", "python"),
        ("10. a\n    b", "10. a\n   b"),
        ("* ---", "- ---"),
        ("1. - a\n   - b\n2. c", "1. - a\n  - b\n2. c"),
        ("1.\n   - a\n   - b", "1. - a\n  - b"),
        ("1. a\n   - b", "1. a\n  - b"),
        ("5 \\* 3, snake\\_case, \\#1", "5 * 3, snake_case, #1"),
        ("a\r\nb", "a\nb"),
        ("one\n\n\n\ntwo", "one\n\ntwo"),
    ],
)
def test_markdown_becomes_plain_text(markdown: str, expected: str) -> None:
    assert plain_text(markdown) == expected


@given(st.text(st.sampled_from("ab 12。、「」*_~#`|>-+.()\\\n&<^ω😀"), max_size=60))
def test_no_word_is_lost(text: str) -> None:
    def words(one: str) -> str:
        return re.sub(r"[^\w]|_", "", one)

    assert words(plain_text(text)) == words(text)


@given(st.text(max_size=200))
def test_only_blank_text_becomes_blank(text: str) -> None:
    assert bool(plain_text(text)) >= bool(text.strip())


@pytest.mark.parametrize(
    "text",
    ["- " * 500 + "x", "[" * 3_000 + "x", "\n".join("  " * depth + "- x" for depth in range(100)), "![" * 900 + "x"],
)
def test_deeply_nested_markdown_loses_no_text(text: str) -> None:
    assert plain_text(text).count("x") == text.count("x")


@pytest.mark.parametrize(
    ("text", "budget", "shown"),
    [
        ("[a](https://x.y) [b](https://x.y)", 2, "a (https://x.y) [b](https://x.y)"),  # `[a` costs two characters
        ("[a](https://x.y) [b](https://x.y)", 3, "a (https://x.y) b (https://x.y)"),
        ("a(https://x.y) [b](https://x.y)", 0, "a(https://x.y) [b](https://x.y)"),
        ("[ [a](https://x.y)", 20, "[ [a](https://x.y)"),  # 18 for the bracket without an end, two for the link in it
        ("[ [a](https://x.y)", 21, "[ a (https://x.y)"),
    ],
)
def test_a_link_is_text_once_the_brackets_before_it_have_used_up_the_budget(
    text: str, budget: int, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(markdown_rules, "_LEAST_BUDGET", budget)
    monkeypatch.setattr(markdown_rules, "_READINGS", 0)

    assert plain_text(text) == shown


def test_the_budget_is_more_than_a_chat_needs() -> None:
    links = [f"[{number}](https://x.y/{number})" for number in range(500)]

    assert plain_text(" ".join(links)) == " ".join(f"{number} (https://x.y/{number})" for number in range(500))


@pytest.mark.parametrize(
    ("row", "shown"),
    [
        ("| 1 | 2 | 3 |", "1 | 2 | 3"),
        ("1 | 2 | **three** | `4`", "1 | 2 | three | 4"),
        ("|1|2||4|", "1 | 2 |  | 4"),
        ("|1|2|3 \\| 4|", "1 | 2 | 3 | 4"),
        ("|1|2||", "1 | 2"),
        ("|1|2|", "1 | 2"),
        ("|1|", "1 | "),
    ],
)
def test_a_row_with_more_cells_than_the_head_loses_none(row: str, shown: str) -> None:
    assert plain_text(f"| a | b |\n|---|---|\n{row}") == f"a | b\n{shown}"
    assert plain_text(f"- x\n\n  | a | b |\n  |---|---|\n  {row}").endswith(f"a | b\n  {shown}")
