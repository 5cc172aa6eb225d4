"""Requests to Cloud Storage's JSON API, classified by operation and object.

Source: Cloud Storage JSON API reference, "Objects"; "Resumable uploads" for the sessions. Slashes in names are sent as %2F.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from email.message import Message
from typing import Any, Final, Literal
from urllib.parse import parse_qsl, unquote

from simulator.storage.conditions import Check, Conditions, Target, number

Operation = Literal[
    "insert",  # the writing request of an upload: a single request, or the last request of a session
    "start",  # opens an upload session
    "part",  # a request of a session, not the last
    "get",  # metadata
    "media",  # content
    "list",
    "delete",
    "patch",
    "update",
    "rewrite",
    "copy",
    "compose",
    "other",  # buckets, the XML API, signed URLs
]

MUTATIONS: Final[frozenset[Operation]] = frozenset(
    {"insert", "delete", "patch", "update", "rewrite", "copy", "compose"}
)

_OBJECTS: Final = re.compile(r"/(download/)?storage/v1/b/([^/]+)/o(?:/([^/]+))?")
_UPLOADS: Final = re.compile(r"/upload/storage/v1/b/([^/]+)/o")
_COPIES: Final = re.compile(r"/storage/v1/b/([^/]+)/o/([^/]+)/(rewrite|copy)To/b/([^/]+)/o/([^/]+)")
_COMPOSITIONS: Final = re.compile(r"/storage/v1/b/([^/]+)/o/([^/]+)/compose")
_BY_METHOD: Final[Mapping[str, Operation]] = {"DELETE": "delete", "PATCH": "patch", "PUT": "update"}
_UNFINISHED_RANGE: Final = re.compile(r"bytes (?:\d+-\d+/\*|\*/\*)")
_RANGE: Final = re.compile(r"bytes \d+-(\d+)/(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request. `name` is the object's name, a listing's prefix, or empty; `path` is the raw path with the query.

    `checks` are the conditions on every object that must not change meanwhile; the written object comes first.
    """

    method: str
    path: bytes = b"/"
    headers: tuple[tuple[bytes, bytes], ...] = field(default=(), repr=False)
    body: bytes = field(default=b"", repr=False)
    operation: Operation = "other"
    bucket: str = ""
    name: str = ""
    upload_id: str | None = None
    checks: tuple[Check, ...] = ()


def classify(call: Call) -> Call:
    """Return the call with operation, object and checks.  Raises: RefusedError, for a condition without a number.

    For example, a POST of `/upload/storage/v1/b/chats/o?name=a&ifGenerationMatch=0` is an `insert` of `a` with one condition.
    """
    path, _, query = call.path.decode("latin-1").partition("?")
    params = dict(parse_qsl(query, keep_blank_values=True))
    if upload := _UPLOADS.fullmatch(path):
        return _upload(call, unquote(upload[1]), params)
    if copy := _COPIES.fullmatch(path):
        return _copy(call, copy, params)
    if composition := _COMPOSITIONS.fullmatch(path):
        return _composition(call, Target(*map(unquote, composition.groups())), params)
    if objects := _OBJECTS.fullmatch(path):
        has_content = objects[1] is not None or params.get("alt") == "media"
        bucket = unquote(objects[2])
        if objects[3] is None:
            operation: Operation = "list" if call.method == "GET" else "other"
            return replace(call, operation=operation, bucket=bucket, name=params.get("prefix", ""))
        return _single(call, Target(bucket, unquote(objects[3])), params, has_content=has_content)
    return call


def _upload(call: Call, bucket: str, params: Mapping[str, str]) -> Call:
    if "upload_id" in params:
        operation: Operation = "insert" if _finishes(call) else "part"
        if call.method not in {"POST", "PUT"}:
            operation = "other"
        name, upload_id = params.get("name", ""), params["upload_id"]
        return replace(call, operation=operation, bucket=bucket, name=name, upload_id=upload_id)
    name = params.get("name") or str(_upload_metadata(call, params).get("name", ""))
    check = Check(target=Target(bucket, name), conditions=Conditions.of(params), may_be_absent=True)
    operation = "start" if params.get("uploadType") == "resumable" else "insert"
    return replace(call, operation=operation, bucket=bucket, name=name, checks=(check,))


def _copy(call: Call, copy: re.Match[str], params: Mapping[str, str]) -> Call:
    source, target = Target(unquote(copy[1]), unquote(copy[2])), Target(unquote(copy[4]), unquote(copy[5]))
    target_check = Check(target=target, conditions=Conditions.of(params), may_be_absent=True)
    read = Check(
        target=source,
        conditions=Conditions.of(params, prefix="ifSource"),
        generation=number(params, "sourceGeneration"),
    )
    operation: Operation = "rewrite" if copy[3] == "rewrite" else "copy"
    return replace(call, operation=operation, bucket=target.bucket, name=target.name, checks=(target_check, read))


def _composition(call: Call, target: Target, params: Mapping[str, str]) -> Call:
    target_check = Check(target=target, conditions=Conditions.of(params), may_be_absent=True)
    sources = _json_object(call.body).get("sourceObjects", [])
    read = tuple(
        Check(
            target=Target(target.bucket, source.get("name", "")),
            conditions=Conditions.of(source.get("objectPreconditions", {})),
            generation=number(source, "generation"),
        )
        for source in sources
    )
    return replace(call, operation="compose", bucket=target.bucket, name=target.name, checks=(target_check, *read))


def _single(call: Call, target: Target, params: Mapping[str, str], *, has_content: bool) -> Call:
    check = Check(target=target, conditions=Conditions.of(params), generation=number(params, "generation"))
    if call.method in {"GET", "HEAD"}:
        operation: Operation = "media" if has_content else "get"
        # An unconditional read needs no lock, and fake-gcs-server finds the generation itself.
        checks = (check,) if check.conditions != Conditions() else ()
    else:
        operation, checks = _BY_METHOD.get(call.method, "other"), (check,)
    return replace(call, operation=operation, bucket=target.bucket, name=target.name, checks=checks)


def _finishes(call: Call) -> bool:
    """Whether the session's request sends the last byte: `content-range: bytes 5-9/10`, for example."""
    content_range = _header(call, b"content-range")
    if _UNFINISHED_RANGE.fullmatch(content_range):
        return False
    range_match = _RANGE.fullmatch(content_range)
    return range_match is None or int(range_match[1]) + 1 == int(range_match[2])


def _upload_metadata(call: Call, params: Mapping[str, str]) -> Mapping[str, Any]:
    if params.get("uploadType") != "multipart":
        return _json_object(call.body)
    content_type = Message()
    content_type["content-type"] = _header(call, b"content-type")
    boundary = str(content_type.get_param("boundary", "")).encode()
    _, _, first = call.body.partition(b"--" + boundary)
    metadata, _, _ = first.partition(b"\r\n--" + boundary)
    return _json_object(metadata.partition(b"\r\n\r\n")[2])


def _json_object(body: bytes) -> Mapping[str, Any]:
    """Return the JSON object of the body; {} for any other body, because the server refuses such a body."""
    try:
        read = json.loads(body)
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}


def _header(call: Call, name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in call.headers if key.lower() == name), "")
