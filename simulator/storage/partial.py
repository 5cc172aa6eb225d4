"""Listings with only the requested fields; fake-gcs-server sends all fields.

Source: Cloud Storage JSON API, "Performance tips", "Partial response": `fields=items(name,generation),nextPageToken`.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final
from urllib.parse import parse_qs

from simulator.storage.answers import Answer

_FIELD: Final = re.compile(r"([A-Za-z]+)(?:\(([A-Za-z,]+)\))?(?:,|$)")


def partial_listing(path: bytes, answer: Answer) -> Answer:
    """Return the answer with the fields in the path's `fields`; without `fields` or if compressed, the answer stays unchanged.

    For example, `fields=items(name)` leaves `{"items": [{"name": "a"}]}`.
    """
    field_masks = parse_qs(path.partition(b"?")[2].decode("latin-1")).get("fields")
    is_compressed = any(key.lower() == b"content-encoding" for key, _ in answer.headers)
    if field_masks is None or is_compressed or not answer.is_success:
        return answer
    field_names = {field: tuple(inner.split(",")) if inner else () for field, inner in _FIELD.findall(field_masks[0])}
    body = json.dumps(_reduce(json.loads(answer.body), field_names), separators=(",", ":")).encode()
    headers = tuple((key, value) for key, value in answer.headers if key.lower() != b"content-length")
    return replace(answer, headers=headers, body=body)


def _reduce(listing: Mapping[str, object], field_names: Mapping[str, tuple[str, ...]]) -> dict[str, object]:
    return {field: _members(value, field_names[field]) for field, value in listing.items() if field in field_names}


def _members(value: object, names: tuple[str, ...]) -> object:
    if not names or not isinstance(value, list):
        return value
    return [{name: member[name] for name in names if name in member} for member in value]
