import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.line.answers import answer_messages
from shared.line.bubbles import ANSWER, DIGEST, Layout
from shared.line.ids import is_conversation_id
from shared.line.outgoing import is_sendable

ID = "U4af4980629b1e5a3b9d0f2c7a8e61d35"


@given(st.text(max_size=300) | st.text(st.sampled_from("*_`[]() \n#-あ。\ud800👍\u0301"), max_size=900))
def test_whatever_the_model_writes_line_takes_it(markdown: str) -> None:
    messages = answer_messages(markdown)

    assert not messages or is_sendable(messages)
    assert not any("\ud800" in one.text for one in messages)


@given(st.text(max_size=600).flatmap(lambda text: st.integers(0, len(text)).map(lambda at: text[:at] + ID + text[at:])))
def test_no_id_is_ever_said(markdown: str) -> None:
    said = "".join(one.text for one in answer_messages(markdown))

    assert not any(is_conversation_id(said[index : index + 33]) for index in range(len(said)))


@pytest.mark.parametrize("markdown", [f"**U**{ID[1:]}", f"[U](https://a.b/){ID[1:]}", f"`U`{ID[1:]}"])
def test_an_id_in_pieces_of_markup_is_not_put_together(markdown: str) -> None:
    assert not any(ID in one.text for one in answer_messages(markdown))


def test_the_first_bubble_quotes_the_question() -> None:
    messages = answer_messages("これは文です。" * 40, quote_token="q")

    assert [one.quote_token for one in messages] == ["q", None]


@pytest.mark.parametrize(("layout", "count"), [(ANSWER, 4), (DIGEST, 1)])
def test_a_digest_may_be_longer(layout: Layout, count: int) -> None:
    assert len(answer_messages("- **件名** これは文です。\n" * 40, layout=layout)) == count


def test_a_blank_answer_has_no_messages() -> None:
    assert answer_messages(" \n\u3000") == ()
