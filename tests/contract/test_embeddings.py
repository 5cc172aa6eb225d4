"""The embedder over the wire, against the stand-in, whose vectors are of pairs of characters."""

from collections.abc import Iterator

import pytest

from shared.adapters.gemini_embeddings import GeminiEmbedder
from shared.adapters.memory import FixedClock
from shared.agent.token_estimate import estimated_tokens
from shared.clock import Deadline, SystemClock
from shared.errors import ModelRefusedError, ModelUnavailableError
from shared.search.vectors import closeness, pack, unpack
from shared.settings.agent_worker import GeminiSettings
from shared.settings.secret import FixedSecret
from simulator.gemini.app import GeminiStandIn
from simulator.gemini.embeddings import TOLD
from tests.support.serving import plain_http, served


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with served(GeminiStandIn(api_key="key").app) as server:
        yield server.url


def settings(url: str, *, key: str = "key") -> GeminiSettings:
    return GeminiSettings(
        api_key=FixedSecret(key),
        project_id="p",
        location=None,
        base_url=url,
        model="gemini-3.5-flash-lite",
        thinking_level="low",
    )


def embedder(url: str, *, key: str = "key") -> GeminiEmbedder:
    return GeminiEmbedder(settings(url, key=key))


def deadline(seconds: float = 20.0) -> Deadline:
    return Deadline.after(SystemClock(), seconds)


def test_texts_that_share_words_are_close(url: str) -> None:
    found = embedder(url).embed(
        ["a garden fence", "the fence of the garden", "税金"], kind="document", deadline=deadline()
    )

    one, other, far = (unpack(pack(vector)) for vector in found.vectors)
    assert len(one) == 256
    assert closeness(one, other) > 0.5 > closeness(one, far)
    assert found.usage.prompt_tokens > 0


def test_equal_texts_get_equal_vectors(url: str) -> None:
    ask = embedder(url)

    first = ask.embed(["庭"], kind="query", deadline=deadline()).vectors
    second = ask.embed(["庭"], kind="document", deadline=deadline()).vectors

    assert first == second


def test_a_wrong_key_and_too_many_texts_are_refused(url: str) -> None:
    with pytest.raises(ModelRefusedError):
        embedder(url, key="wrong").embed(["a"], kind="query", deadline=deadline())
    with pytest.raises(ModelRefusedError):
        embedder(url).embed(["a"] * 101, kind="document", deadline=deadline())


def test_without_time_no_request_is_made() -> None:
    with pytest.raises(ModelUnavailableError, match="no time"):
        embedder("http://127.0.0.1:9").embed(["a"], kind="query", deadline=deadline(0.0))


class OneTextARequest(GeminiEmbedder):
    """Asks as it does on Vertex AI."""

    def __init__(self, settings: GeminiSettings) -> None:
        super().__init__(settings)
        self._texts_at_once = 1


class HastyClock(FixedClock):
    """A clock by which each look at the time takes a second."""

    def monotonic_s(self) -> float:
        self.move(1)
        return super().monotonic_s()


def test_of_one_text_a_request_those_are_returned_for_which_there_was_time(url: str) -> None:
    texts = [f"entry {number}" for number in range(100)]

    found = OneTextARequest(settings(url)).embed(texts, kind="document", deadline=Deadline.after(HastyClock(), 4.5))

    assert 0 < len(found.vectors) < len(texts)
    assert found.usage.prompt_tokens == sum(map(estimated_tokens, texts[: len(found.vectors)]))


def test_the_stand_in_says_that_it_is_one(url: str) -> None:
    body = {"requests": [{"model": "models/gemini-embedding-001", "content": {"parts": [{"text": "a"}]}}]}
    with plain_http(url) as client:
        answer = client.post(
            "/v1/models/gemini-embedding-001:batchEmbedContents", json=body, headers={"x-goog-api-key": "key"}
        )
        empty = client.post(
            "/v1/models/gemini-embedding-001:batchEmbedContents",
            json={"requests": []},
            headers={"x-goog-api-key": "key"},
        )

    assert answer.json()["standIn"] == TOLD
    assert len(answer.json()["embeddings"][0]["values"]) == 3072
    assert empty.status_code == 400
