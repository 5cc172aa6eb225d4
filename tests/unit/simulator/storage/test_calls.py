import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.storage.calls import Call, Operation, classify
from simulator.storage.conditions import Check, Conditions, Target
from simulator.storage.errors import RefusedError

MULTIPART = (
    b"--==b==\r\ncontent-type: application/json; charset=UTF-8\r\n\r\n"
    + json.dumps({"name": "日本/語"}).encode()
    + b"\r\n--==b==\r\ncontent-type: text/plain\r\n\r\n{not json\r\n\r\n--==b==--"
)
SESSION = "/upload/storage/v1/b/k/o?uploadType=resumable&name=a%2Fb&upload_id=s1"


def asked(method: str, path: str, *, body: bytes = b"", headers: dict[str, str] | None = None) -> Call:
    raw = tuple((key.encode(), value.encode()) for key, value in (headers or {}).items())
    return classify(Call(method=method, path=path.encode(), headers=raw, body=body))


@pytest.mark.parametrize(
    ("method", "path", "operation", "name"),
    [
        ("GET", "/storage/v1/b/k/o/a%2Fb", "get", "a/b"),
        ("HEAD", "/storage/v1/b/k/o/a%2Fb", "get", "a/b"),
        ("GET", "/storage/v1/b/k/o/a%2Fb?alt=media", "media", "a/b"),
        ("GET", "/download/storage/v1/b/k/o/a%2Fb?alt=media", "media", "a/b"),
        ("GET", "/storage/v1/b/k/o?prefix=journal%2F", "list", "journal/"),
        ("GET", "/storage/v1/b/k/o", "list", ""),
        ("DELETE", "/storage/v1/b/k/o/%E6%97%85", "delete", "旅"),
        ("PATCH", "/storage/v1/b/k/o/a%252Fb", "patch", "a%2Fb"),
        ("PUT", "/storage/v1/b/k/o/compose", "update", "compose"),
        ("POST", "/storage/v1/b/k/o/a/rewriteTo/b/l/o/b", "rewrite", "b"),
        ("POST", "/storage/v1/b/k/o/a/copyTo/b/l/o/b", "copy", "b"),
        ("POST", "/storage/v1/b/k/o/a/compose", "compose", "a"),
        ("POST", "/upload/storage/v1/b/k/o?uploadType=media&name=a%2Fb", "insert", "a/b"),
        ("POST", "/upload/storage/v1/b/k/o?uploadType=resumable&name=a%2Fb", "start", "a/b"),
        ("DELETE", SESSION, "other", "a/b"),
        ("GET", "/storage/v1/b/k", "other", ""),
        ("POST", "/storage/v1/b?project=p", "other", ""),
        ("GET", "/storage/v1/b/k/o/a/acl", "other", ""),
        ("GET", "/k/a", "other", ""),
    ],
)
def test_a_request_is_classified(method: str, path: str, operation: Operation, name: str) -> None:
    call = asked(method, path)

    assert (call.operation, call.name) == (operation, name)


@given(st.text(min_size=1))
def test_any_name_is_decoded(name: str) -> None:
    quoted = quote(name, safe="")

    assert asked("GET", f"/storage/v1/b/k/o/{quoted}").name == name
    assert asked("POST", f"/upload/storage/v1/b/k/o?uploadType=media&name={quoted}").name == name


def test_a_multipart_upload_is_named_by_its_first_part() -> None:
    path = "/upload/storage/v1/b/k/o?uploadType=multipart&ifGenerationMatch=0"

    call = asked("POST", path, body=MULTIPART, headers={"Content-Type": "multipart/related; boundary===b=="})

    assert call.operation == "insert"
    assert call.checks == (
        Check(target=Target("k", "日本/語"), conditions=Conditions(generation=0), may_be_absent=True),
    )


@pytest.mark.parametrize("body", [b"", b"--x", b"[1]", b"--==b==\r\n\r\nno json\r\n--==b==--"])
@pytest.mark.parametrize("upload_type", ["multipart", "resumable"])
def test_a_malformed_upload_is_forwarded(body: bytes, upload_type: str) -> None:
    path = f"/upload/storage/v1/b/k/o?uploadType={upload_type}"

    assert asked("POST", path, body=body, headers={"content-type": "multipart/related; boundary===b=="}).name == ""


@pytest.mark.parametrize(
    ("content_range", "operation"),
    [
        (None, "insert"),
        ("bytes 0-9/*", "part"),
        ("bytes 0-9/11", "part"),
        ("bytes */*", "part"),
        ("bytes 10-10/11", "insert"),
        ("bytes */11", "insert"),
        ("bytes 0-9/10", "insert"),
    ],
)
def test_the_last_request_of_a_session_is_the_insert(content_range: str | None, operation: Operation) -> None:
    headers = {"Content-Range": content_range} if content_range else {}

    call = asked("PUT", SESSION, headers=headers)

    assert (call.operation, call.upload_id) == (operation, "s1")


def test_a_copy_has_conditions_for_both_ends() -> None:
    path = (
        "/storage/v1/b/k/o/a/rewriteTo/b/l/o/b?ifGenerationMatch=1&ifSourceMetagenerationNotMatch=2&sourceGeneration=3"
    )

    assert asked("POST", path).checks == (
        Check(target=Target("l", "b"), conditions=Conditions(generation=1), may_be_absent=True),
        Check(target=Target("k", "a"), conditions=Conditions(not_metageneration=2), generation=3),
    )


def test_a_composition_has_conditions_for_every_source() -> None:
    sources = [{"name": "a", "generation": "3"}, {"name": "b", "objectPreconditions": {"ifGenerationMatch": "4"}}]

    call = asked("POST", "/storage/v1/b/k/o/c/compose", body=json.dumps({"sourceObjects": sources}).encode())

    assert call.checks == (
        Check(target=Target("k", "c"), conditions=Conditions(), may_be_absent=True),
        Check(target=Target("k", "a"), conditions=Conditions(), generation=3),
        Check(target=Target("k", "b"), conditions=Conditions(generation=4)),
    )


def test_a_read_without_conditions_needs_no_lock() -> None:
    assert asked("GET", "/storage/v1/b/k/o/a?generation=5").checks == ()


@pytest.mark.parametrize("param", ["ifGenerationMatch", "ifMetagenerationNotMatch", "generation"])
def test_a_condition_other_than_a_number_is_refused(param: str) -> None:
    with pytest.raises(RefusedError, match=f"Invalid value for parameter {param}: latest"):
        asked("DELETE", f"/storage/v1/b/k/o/a?{param}=latest")
