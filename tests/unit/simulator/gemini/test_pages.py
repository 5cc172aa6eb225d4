from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from simulator.gemini import pages
from simulator.gemini.default_model import model as default_model
from simulator.gemini.errors import RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.gemini.request import GenerateContentRequest


@pytest.fixture
def reading(
    body: Callable[..., dict[str, Any]], read: Callable[..., GenerateContentRequest]
) -> Callable[[str], GenerateContentRequest]:
    """Returns a request with URL context."""
    return lambda text: read(body(text, tools=[{"urlContext": {}}], toolConfig=None))


def test_every_address_of_a_prompt_is_retrieved_once(reading: Callable[[str], GenerateContentRequest]) -> None:
    request = reading("https://bakery.example/ and https://unsafe.example/x https://bakery.example/")

    retrieved = pages.retrieve(request)

    assert [(page.address, page.status) for page in retrieved] == [
        ("https://bakery.example/", "SUCCESS"),
        ("https://unsafe.example/x", "UNSAFE"),
    ]


def test_twenty_addresses_are_retrieved_and_twenty_one_refused(
    reading: Callable[[str], GenerateContentRequest],
) -> None:
    addresses = [f"https://a.example/{number}" for number in range(21)]
    pages.refuse_bad_addresses(reading(" ".join(addresses[:20])))

    with pytest.raises(RefusedError, match=r"exceeds the limit \(21 > 20\)"):
        pages.refuse_bad_addresses(reading(" ".join(addresses)))


@pytest.mark.parametrize(
    ("address", "words", "status"),
    [
        ("https://bakery.example/", "open from 7:00", "SUCCESS"),
        ("https://a.example/", "A page of the stand-in at https://a.example/", "SUCCESS"),
        ("https://paywall.example/", "It is probably", "PAYWALL"),
        ("https://broken.example/", "It is probably", "ERROR"),
    ],
)
def test_an_answer_is_from_the_page_or_a_guess(
    reading: Callable[[str], GenerateContentRequest], address: str, words: str, status: str
) -> None:
    answer = default_model.answer(reading(f"Address: {address}\n\nQuestion: ?"))

    assert words in str(answer.parts[0])
    assert answer.url_context == {
        "urlMetadata": [{"retrievedUrl": address, "urlRetrievalStatus": f"URL_RETRIEVAL_STATUS_{status}"}]
    }
    assert (answer.page_tokens > 0) == (status == "SUCCESS")
