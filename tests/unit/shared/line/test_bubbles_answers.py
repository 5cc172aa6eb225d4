import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.line.bubbles import ANSWER, DIGEST, answer_messages, fixed_messages, shown_text
from shared.line.ids import is_conversation_id
from shared.line.messaging import is_sendable

ID = "U4af4980629b1e5a3b9d0f2c7a8e61d35"
WRITTEN = st.text(max_size=300) | st.text(st.sampled_from("*_`[]() \n#-あ。\ud800👍\u0301"), max_size=900)


@given(WRITTEN)
def test_whatever_the_model_writes_line_takes_it(markdown: str) -> None:
    messages = answer_messages(shown_text(markdown))

    assert not messages or is_sendable(messages)
    assert not any("\ud800" in one.text for one in messages)


@given(WRITTEN)
def test_what_is_remembered_is_what_people_saw(markdown: str) -> None:
    text = shown_text(markdown)

    assert "".join("".join(one.text for one in answer_messages(text)).split()) == "".join(text.split())


@given(st.text(max_size=600).flatmap(lambda text: st.integers(0, len(text)).map(lambda at: text[:at] + ID + text[at:])))
def test_no_id_is_ever_said(markdown: str) -> None:
    said = "".join(one.text for one in answer_messages(shown_text(markdown)))

    assert not any(is_conversation_id(said[index : index + 33]) for index in range(len(said)))


@pytest.mark.parametrize("markdown", [f"**U**{ID[1:]}", f"[U](https://a.b/){ID[1:]}", f"`U`{ID[1:]}"])
def test_an_id_in_pieces_of_markup_is_not_put_together(markdown: str) -> None:
    assert ID not in shown_text(markdown)


def test_the_first_bubble_quotes_the_question() -> None:
    messages = answer_messages("これは文です。" * 40, quote_token="q")

    assert [one.quote_token for one in messages] == ["q", None]


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


def test_our_own_words_are_said_as_they_are_written_in_one_bubble() -> None:
    text = f"# 使い方 **{ID}**\n" + "説明です。" * 100

    assert [one.text for one in fixed_messages(text)] == [text]
