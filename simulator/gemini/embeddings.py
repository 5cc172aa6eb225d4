"""Embeddings of the stand-in: vectors of a text's pairs of characters.  No model makes the vectors; the answer's field `standIn` says so.

Texts with shared words lie close together; unlike with a model, synonyms and translations do not.
Source: https://ai.google.dev/api/embeddings, `batchEmbedContents`: at most 100 requests, each with a model.
"""

from __future__ import annotations

import json
import unicodedata
from itertools import pairwise
from zlib import crc32

from simulator.gemini.errors import invalid_argument
from simulator.gemini.fields import Fields, parse_object

METHOD = "batchEmbedContents"
MOST_TEXTS = 100
DIMENSIONS = range(128, 3073)
TOLD = "Vectors of pairs of characters; no model was asked."


def answer(raw: bytes) -> bytes:
    """Return the response to a batch.  Raises: RefusedError."""
    requests = Fields(values=parse_object(raw), path="").messages("requests")
    if not requests:
        raise invalid_argument("* BatchEmbedContentsRequest.requests: the list is empty.")
    if len(requests) > MOST_TEXTS:
        raise invalid_argument(
            f"* BatchEmbedContentsRequest.requests: at most {MOST_TEXTS} requests can be in one batch."
        )
    embeddings = [{"values": _vector(one)} for one in requests]
    return json.dumps({"embeddings": embeddings, "standIn": TOLD}).encode()


def _vector(request: Fields) -> list[float]:
    size = int(request.number("outputDimensionality") or max(DIMENSIONS))
    if size not in DIMENSIONS:
        raise invalid_argument(
            f"* EmbedContentRequest.output_dimensionality: must be from {min(DIMENSIONS)} to {max(DIMENSIONS)}."
        )
    parts = request.message("content").messages("parts")
    text = "".join(part.text("text") or "" for part in parts)
    if not text:
        raise invalid_argument("* EmbedContentRequest.content: contents is required.")
    folded = unicodedata.normalize("NFKC", text).casefold()
    values = [0.0] * size
    for character, next_character in pairwise(f" {folded} "):
        values[crc32(f"{character}{next_character}".encode()) % size] += 1.0
    return values
