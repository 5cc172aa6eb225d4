import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.tools.notion.blocks import batches, blocks_of, text_of

NOTES = """\
# 旅行の計画
## 持ち物

- [ ] 切符
- [x] 傘
* 本
1. 駅へ行く
2) 乗る
> 忘れ物に注意
---
一行目
二行目

```py
print("# not a heading")
- not a list
```
おわり
"""


def test_markdown_becomes_its_block_types() -> None:
    assert [(block["type"], text_of(block)) for block in blocks_of(NOTES)] == [
        ("heading_1", "旅行の計画"),
        ("heading_2", "持ち物"),
        ("to_do", "切符"),
        ("to_do", "傘"),
        ("bulleted_list_item", "本"),
        ("numbered_list_item", "駅へ行く"),
        ("numbered_list_item", "乗る"),
        ("quote", "忘れ物に注意"),
        ("divider", ""),
        ("paragraph", "一行目\n二行目"),
        ("code", 'print("# not a heading")\n- not a list'),
        ("paragraph", "おわり"),
    ]


def test_a_to_do_keeps_its_checkbox_and_code_its_language() -> None:
    blocks = blocks_of("- [ ] a\n- [X] b\n```py\nx\n```\n```klingon\ny\n```")

    assert [block[str(block["type"])] for block in blocks] == [
        {"rich_text": [{"type": "text", "text": {"content": "a"}}], "checked": False},
        {"rich_text": [{"type": "text", "text": {"content": "b"}}], "checked": True},
        {"rich_text": [{"type": "text", "text": {"content": "x"}}], "language": "python"},
        {"rich_text": [{"type": "text", "text": {"content": "y"}}], "language": "plain text"},
    ]


@pytest.mark.parametrize("text", ["", "\n\n", "```\n```", "#no heading", "-no list", "``` unclosed\ncode"])
def test_malformed_markdown_becomes_paragraphs_or_code(text: str) -> None:
    assert all(block["type"] in {"paragraph", "code"} for block in blocks_of(text))


def test_a_long_text_becomes_several_blocks_within_the_limit() -> None:
    blocks = blocks_of("- " + "👨‍👩‍👧" * 1_000)

    assert len(blocks) > 1
    assert {block["type"] for block in blocks} == {"bulleted_list_item"}
    assert all(len(text_of(block).encode("utf-16-le")) <= 4_000 for block in blocks)
    assert all(text_of(block).endswith("👧") for block in blocks)


@given(st.text(alphabet=st.sampled_from("ab#-*>1. `~[]x\n\t・_"), max_size=400))
def test_blocks_keep_every_letter_of_any_text(text: str) -> None:
    kept = "".join(text_of(block) for block in blocks_of(text))

    fences = [line for line in text.split("\n") if re.match(r"\s*(```|~~~)", line)]
    if not fences:  # the text behind a fence names a language
        assert [one for one in kept if one in "ab"] == [one for one in text if one in "ab"]


@given(st.integers(min_value=0, max_value=350))
def test_a_request_holds_at_most_a_hundred_blocks(count: int) -> None:
    blocks = blocks_of("\n".join(["- x"] * count))

    sizes = [len(batch) for batch in batches(blocks)]

    assert sum(sizes) == count
    assert all(size <= 100 for size in sizes)
