import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from shared.line.bubbles import (
    ANSWER,
    DIGEST,
    Layout,
    answer_messages,
    bubbles,
    fixed_messages,
    length_of,
    shortened,
    shown_text,
)
from shared.line.ids import is_conversation_id
from shared.line.messaging import OutgoingMessage, is_sendable

ID = "U4af4980629b1e5a3b9d0f2c7a8e61d35"
URL = "https://example.com/a_b/c.html?x=1&y=(2)#z"
PIECES = [
    *(
        "今日は",
        "いい天気ですね",
        "。",
        "！？",
        "、",
        "「はい」",
        "が\u3099",
        "ー",
        "っ",
        "👨‍👩‍👧",
        "🇯🇵",
        "👍🏽",
        "กำ",
        "ไทย",
        "한국어",
        "요.",
        "好的。",
    ),
    *(
        "word",
        "don't",
        "3.14",
        "e.g.",
        "Dr.",
        "end.",
        "what?",
        " ",
        "\n",
        "\n\n",
        "\u3000",
        "- item\n",
        "1. ",
        URL,
        URL * 9,
        "x" * 170,
    ),
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=60).map("".join) | st.text(
    st.characters(exclude_categories=["Cs"]), max_size=600
)
MARKDOWN = st.text(max_size=300) | st.text(st.sampled_from("*_`[]() \n#-あ。\ud800👍\u0301"), max_size=900)
LAYOUTS = st.sampled_from([ANSWER, DIGEST]) | st.builds(
    lambda limit, count: Layout(text_limit=limit * count, bubble_limit=limit, at_most=count),
    st.integers(1, 400),
    st.integers(1, 5),
)


def solid(text: str) -> str:
    return "".join(text.split())


@given(TEXTS, LAYOUTS)
@example("a" + "\u0301" * 6_000, ANSWER)
@example("👨‍👩‍👧" * 2_000, DIGEST)
def test_every_bubble_can_be_sent_and_no_call_holds_too_many(text: str, layout: Layout) -> None:
    found = bubbles(text, layout)

    assert len(found) <= layout.at_most
    assert not found or is_sendable([OutgoingMessage(text=one) for one in found])
    assert bool(found) == bool(text.strip())


@given(TEXTS, LAYOUTS)
def test_splitting_a_shortened_text_loses_no_character(text: str, layout: Layout) -> None:
    assert solid("".join(bubbles(text, layout))) == solid(shortened(text, limit=layout.text_limit))


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=120))
def test_a_text_within_the_limit_is_kept_whole(text: str) -> None:
    assert solid("".join(bubbles(text))) == solid(text)


@given(TEXTS, st.integers(1, 600))
def test_a_shortened_text_is_a_beginning_of_the_text(text: str, limit: int) -> None:
    short = shortened(text, limit=limit)

    assert text.strip().startswith(short) or text.strip().startswith(short.removesuffix("…"))


@given(st.lists(st.sampled_from(PIECES[:-3]), max_size=60).map("".join))
def test_no_bubble_is_longer_than_its_limit_where_no_url_is_long(text: str) -> None:
    assert all(len(regex.findall(r"\X", one)) <= 160 for one in bubbles(text))


@given(TEXTS)
def test_no_grapheme_is_cut(text: str) -> None:
    kept = shortened(text, limit=500).removesuffix("…")
    whole = [one for one in regex.findall(r"\X", kept) if not one.isspace()]

    found = [one for bubble in bubbles(text) for one in regex.findall(r"\X", bubble.removesuffix("…"))]
    assert [one for one in found if not one.isspace()] == whole


@given(
    st.lists(st.sampled_from(["これは", "長い文です。", "see ", "\n", "、", URL, f" {URL} "]), max_size=40).map("".join)
)
def test_no_url_is_cut(text: str) -> None:
    found = " ".join(bubbles(text))

    assert regex.sub(regex.escape(URL), "", found).count("http") == 0


WORDS = ["alpha", "charlie's", "3.14", "e.g.", "Yes.", "unmistakably", "Oh!"]


@given(st.lists(st.sampled_from(WORDS), max_size=150).map(" ".join))
@example(
    "Yes. " + "alpha " * 25 + "3.14 Yes. unmistakably Yes. " + "unmistakably " * 24 + "alpha"
)  # short bubbles come first
def test_no_word_is_cut(text: str) -> None:
    words = [word for bubble in bubbles(text) for word in bubble.removesuffix("…").split()]

    assert set(words) <= set(WORDS)


@pytest.mark.parametrize(
    ("sentence", "limit"),
    [
        ("今日はとてもいい天気ですね。", 30),
        ("「本当ですか？」", 20),
        ("すごい！！", 12),
        ("今天天氣很好，我們出去走走吧。", 40),
        ("오늘은 날씨가 참 좋네요. ", 35),
        ("Is it 3.14? ", 30),
        ("Dr. Smith is here. ", 45),
        ("วันนี้อากาศดีมาก ", 40),
        ("one line\n", 30),
    ],
)
def test_bubbles_end_where_sentences_end(sentence: str, limit: int) -> None:
    found = bubbles(sentence * 6, Layout(text_limit=1_000, bubble_limit=limit))

    assert 1 < len(found) <= 5
    assert {bubble.replace(sentence.strip(), "").strip() for bubble in found} == {""}


def test_a_paragraph_ends_a_bubble_that_is_half_full() -> None:
    text = "一" * 50 + "。\n\n" + "二" * 20 + "。" + "三" * 60 + "。"

    assert bubbles(text, Layout(text_limit=500, bubble_limit=100)) == (
        "一" * 50 + "。",
        "二" * 20 + "。" + "三" * 60 + "。",
    )


def test_a_short_paragraph_does_not_cost_a_bubble() -> None:
    text = "はい。\n\n" + "一" * 40 + "。" + "二" * 80 + "。"

    assert bubbles(text, Layout(text_limit=500, bubble_limit=100)) == (
        "はい。\n\n" + "一" * 40 + "。",
        "二" * 80 + "。",
    )


@pytest.mark.parametrize(
    "text", ["はい。" + "い" * 397, "い" * 89 + "。" + "い" * 310, "い" * 100 + "はい。" + "い" * 297]
)
def test_bubbles_are_filled_where_short_ones_would_be_too_many(text: str) -> None:
    found = bubbles(text, Layout(text_limit=400, bubble_limit=100, at_most=4))

    assert [len(bubble) for bubble in found] == [100] * 4


def test_a_thai_answer_ends_at_a_space() -> None:
    assert shortened("วันนี้อากาศดีมาก " * 30, limit=40) == "วันนี้อากาศดีมาก วันนี้อากาศดีมาก วันนี้อากาศดีมาก"


def test_a_long_answer_ends_with_a_whole_sentence() -> None:
    assert shortened("これは文です。" * 100, limit=500) == "これは文です。" * 71


def test_an_answer_without_sentences_ends_with_an_ellipsis() -> None:
    assert shortened("alpha beta, " * 100, limit=20) == "alpha beta…"
    assert shortened("あ" * 100, limit=20) == "あ" * 19 + "…"


def test_a_url_longer_than_the_limit_stays_whole() -> None:
    url = "https://example.com/" + "a" * 600

    assert bubbles(f"見て {url}") == ("見て", url)
    assert bubbles(f"{url} 見て", Layout(text_limit=1_000, bubble_limit=160)) == (url, "見て")


def test_a_blank_text_has_no_bubbles() -> None:
    assert bubbles(" \n\u3000") == ()


def test_a_short_text_is_one_bubble_as_it_was_written() -> None:
    assert bubbles("one\n\ntwo.  three") == ("one\n\ntwo.  three",)


@given(MARKDOWN)
def test_line_takes_every_text_of_the_model(markdown: str) -> None:
    messages = answer_messages(shown_text(markdown))

    assert not messages or is_sendable(messages)
    assert not any("\ud800" in one.text for one in messages)


@given(MARKDOWN)
def test_the_bubbles_hold_exactly_the_text_that_is_remembered(markdown: str) -> None:
    text = shown_text(markdown)

    assert "".join("".join(one.text for one in answer_messages(text)).split()) == "".join(text.split())


@given(st.text(max_size=600).flatmap(lambda text: st.integers(0, len(text)).map(lambda at: text[:at] + ID + text[at:])))
def test_no_bubble_holds_an_id(markdown: str) -> None:
    said = "".join(one.text for one in answer_messages(shown_text(markdown)))

    assert not any(is_conversation_id(said[index : index + 33]) for index in range(len(said)))


@pytest.mark.parametrize("markdown", [f"**U**{ID[1:]}", f"[U](https://a.b/){ID[1:]}", f"`U`{ID[1:]}"])
def test_an_id_in_pieces_of_markup_is_not_joined(markdown: str) -> None:
    assert ID not in shown_text(markdown)


def test_the_first_bubble_quotes_the_question() -> None:
    messages = answer_messages("これは文です。" * 40, quote_token="q")

    assert [one.quote_token for one in messages] == ["q", None]


@given(
    st.lists(st.sampled_from(["2025-11-21", "13:40", "remind", "1.", "[image]", "word"]), min_size=80, max_size=600),
    st.integers(1, 5),
)
@example(["2025-11-21"] * 58, 4)
@example(["2025-11-21"] * 363, 4)
def test_words_stay_whole_however_much_room_they_leave(words: list[str], at_most: int) -> None:
    text = shown_text(" ".join(words), limit=DIGEST.text_limit)
    sent = answer_messages(text, at_most=at_most)

    assert is_sendable(sent)
    assert len(sent) <= at_most
    shown = " ".join(one.text for one in sent)
    assert text.startswith(shown.removesuffix("…"))
    assert shown == text or at_most < 4  # five, or four and a question, show all that is remembered


@pytest.mark.parametrize(("limit", "count"), [(ANSWER.text_limit, 4), (DIGEST.text_limit, 1)])
def test_a_digest_may_be_longer(limit: int, count: int) -> None:
    text = shown_text("- **件名** これは文です。とても長い文です。\n" * 60, limit=limit)

    assert len(answer_messages(text)) == count + (limit == DIGEST.text_limit)
    assert len(text) <= limit


def test_links_to_sources_are_never_cut() -> None:
    url = "https://example.com/" + "a" * 700
    messages = answer_messages(f"{'これは文です。' * 60}\n\n{url}")

    assert any(url in one.text for one in messages)


def test_a_blank_answer_has_no_messages() -> None:
    assert answer_messages(shown_text(" \n\u3000")) == ()


def test_a_fixed_text_is_one_bubble_as_it_is_written() -> None:
    text = f"# 使い方 **{ID}**\n" + "説明です。" * 100

    assert [one.text for one in fixed_messages(text)] == [text]


@pytest.mark.parametrize("text", ["😀" * 20, "か\u3099" * 20, "a" * 20])
def test_a_text_of_as_many_graphemes_as_the_limit_stays_whole(text: str) -> None:
    assert shortened(text, limit=20) == text


def test_what_is_left_is_one_bubble_where_it_fits_exactly() -> None:
    rest = "二" * 10 + "。" + "三" * 19

    assert bubbles("一" * 29 + "。" + rest, Layout(text_limit=100, bubble_limit=30)) == ("一" * 29 + "。", rest)


def test_a_paragraph_ends_a_bubble_that_is_exactly_half_full() -> None:
    text = "一" * 47 + "。\n\n" + "二" * 20 + "。" + "三" * 60 + "。"

    assert bubbles(text, Layout(text_limit=500, bubble_limit=100))[0] == "一" * 47 + "。"


@pytest.mark.parametrize("between", ["", " ", "\u200b \u2060", "\u3164"])
@pytest.mark.parametrize("mark", ["✓", "✔\ufe0f", "☐"])
def test_no_bubble_begins_with_a_mark_that_stands_within_a_line(between: str, mark: str) -> None:
    shown = bubbles(f"{'あ' * 150}。{between}{mark} 保存しました：「牛乳」\n\n✓ 削除しました：「卵」")

    assert len(shown) == 2
    assert not shown[1].lstrip("\u200b\u2060\u3164 ").startswith(mark)


def test_a_receipt_on_its_own_line_may_begin_a_bubble() -> None:
    assert bubbles(f"{'あ' * 150}。\n\n✓ 削除しました：「卵」")[1] == "✓ 削除しました：「卵」"


@pytest.mark.parametrize("run", ["✓\ufe0f ", "✓", "あ✓ "])
def test_line_takes_a_text_of_nothing_but_marks(run: str) -> None:
    assert is_sendable(answer_messages(run * 2_000))


def test_a_sentence_ends_a_bubble_that_leaves_just_enough_room() -> None:
    text = "一" * 87 + "。" + "二" * 264  # an eighth of each later bubble stays free for their own pauses

    found = bubbles(text, Layout(text_limit=400, bubble_limit=100, at_most=4))

    assert found[0] == "一" * 87 + "。"
    assert len(found) == 4


@pytest.mark.parametrize(("marks", "count"), [(63, 2), (64, 8)])
def test_only_a_cluster_longer_than_writing_needs_is_cut(marks: int, count: int) -> None:
    cluster = "a" + "\u0301" * marks

    found = bubbles(cluster * 2, Layout(text_limit=200, bubble_limit=20, at_most=10))

    assert "".join(found) == cluster * 2
    assert len(found) == count - (count > 2)


@pytest.mark.parametrize(("at_most", "longest"), [(1, 1_250), (2, 2_344), (4, 4_000), (5, 4_000)])
def test_an_answer_takes_no_more_than_a_digest_and_than_its_bubbles_hold(at_most: int, longest: int) -> None:
    messages = answer_messages("これは文です。" * 700, at_most=at_most)

    assert len(messages) <= at_most
    assert longest - 10 <= sum(len(one.text) for one in messages) <= longest


@given(
    st.lists(
        st.sampled_from(["短い文です。", "これは少し長めの日本語の文です。", "Good. ", "- 卵\n"]),
        min_size=8,
        max_size=60,
    )
)
@example(["これは少し長めの日本語の文です。"] * 30 + ["短い文です。"])
def test_the_last_bubble_is_no_orphan(sentences: list[str]) -> None:
    shown = bubbles("".join(sentences))

    assert len(shown) == 1 or length_of(shown[-1]) >= 16


@given(MARKDOWN, st.integers(20, 600))
def test_a_cut_text_ends_with_the_line_that_says_so(markdown: str, limit: int) -> None:
    text, whole = shown_text(markdown, limit=limit, goes_on="(more)"), shown_text(markdown, limit=10**6)

    assert (text == whole) is not text.endswith("\n(more)")
    assert length_of(text) <= limit or URL in text  # a URL is never cut
