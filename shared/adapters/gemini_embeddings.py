"""Embeddings by Gemini, by API key or on Vertex AI.

Source: Gemini API, "Embeddings": gemini-embedding-001 gives 128 to 3,072 dimensions and distinguishes documents from queries; google-genai
3.4.0, `Models.embed_content`: one request for all texts (`batchEmbedContents`, on Vertex AI `predict`).  Vertex AI, "Text embeddings":
with this model, a request has one text there. Example: ten texts are one request by API key, ten requests on Vertex AI.
"""

from collections.abc import Sequence
from typing import Final

from shared.adapters.gemini_sdk import client_of, http_options, translated_errors
from shared.adapters.google_genai import types
from shared.agent.token_estimate import estimated_tokens
from shared.clock import Deadline
from shared.errors import ModelUnavailableError
from shared.knowledge.embeddings import Embedded, Kind
from shared.metering import Usage
from shared.settings.agent_worker import GeminiSettings

_MODEL: Final = "gemini-embedding-001"
_DIMENSIONS: Final = 256
_TASKS: Final = {"document": "RETRIEVAL_DOCUMENT", "query": "RETRIEVAL_QUERY"}


class GeminiEmbedder:
    """Embeds with one model; safe to share between threads."""

    name = _MODEL

    def __init__(self, settings: GeminiSettings) -> None:
        """Build the client; no connection is opened."""
        self._client = client_of(settings)
        self._texts_at_once = 1 if settings.api_key is None else None

    def embed(self, texts: Sequence[str], *, kind: Kind, deadline: Deadline) -> Embedded:
        size = self._texts_at_once or len(texts)
        vectors: list[Sequence[float]] = []
        for start in range(0, len(texts), max(1, size)):
            try:
                vectors += self._ask(list(texts[start : start + size]), kind, deadline)
            except ModelUnavailableError:
                if not vectors:
                    raise
                break  # the time is over; finished vectors are returned
        tokens = sum(map(estimated_tokens, texts[: len(vectors)]))  # the Developer API does not count them
        return Embedded(vectors=tuple(vectors), usage=Usage(prompt_tokens=tokens))

    def _ask(self, texts: list[str], kind: Kind, deadline: Deadline) -> list[Sequence[float]]:
        timeout_s = deadline.left_s
        if timeout_s <= 0:
            raise ModelUnavailableError("no time is left for embeddings")
        with translated_errors(unreadable="the model gave no readable embeddings in time"):
            response = self._client.models.embed_content(
                model=_MODEL,
                contents=list(texts),
                config=types.EmbedContentConfig(
                    task_type=_TASKS[kind],
                    output_dimensionality=_DIMENSIONS,
                    http_options=http_options(timeout_s),
                ),
            )
        vectors = [one.values or [] for one in response.embeddings or []]
        if len(vectors) != len(texts):
            raise ModelUnavailableError("the model gave another number of embeddings than it was asked for")
        return list(vectors)
