import datetime as dt
import io
import json
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared import logs
from shared.version import version


def test_a_fact_is_one_json_line(lines: io.StringIO) -> None:
    with logs.bound(webhook_event_id="e1"):
        logs.info("reply_sent", bubbles=2)

    assert lines.getvalue().count("\n") == 1
    line = json.loads(lines.getvalue())
    assert dt.datetime.fromisoformat(line.pop("time")).tzinfo is not None
    assert line == {
        "severity": "INFO",
        "message": "reply_sent",
        "version": version(),
        "webhook_event_id": "e1",
        "bubbles": 2,
    }


def test_bound_fields_end_with_their_block(lines: io.StringIO) -> None:
    with logs.bound(a=1), logs.bound(b=2):
        pass
    logs.info("after")

    assert set(json.loads(lines.getvalue())) == {"severity", "message", "time", "version"}


def test_a_librarys_warning_is_logged_without_its_words(lines: io.StringIO) -> None:
    logging.getLogger("urllib3").warning("failed to post %s", "my pin is 4711")

    line = json.loads(lines.getvalue())
    assert line["message"] == "library_complained"
    assert line["library"] == "urllib3"
    assert "4711" not in lines.getvalue()


def test_an_error_names_the_types_of_its_causes(lines: io.StringIO) -> None:
    try:
        try:
            raise KeyError("my pin is 4711")
        except KeyError as cause:
            raise RuntimeError("my pin is 4711") from cause
    except RuntimeError as error:
        logs.error("event_crashed", cause=error)

    assert json.loads(lines.getvalue())["error_type"] == "RuntimeError < KeyError"
    assert "4711" not in lines.getvalue()


def test_a_line_that_a_full_disk_refuses_ends_nothing(lines: io.StringIO) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:  # noqa: PTH123 - a device
        logs.configure(full)

        logs.error("tick_failed", cause=ValueError())

    logs.configure(lines)
    logs.info("tick_handled")
    assert [json.loads(line)["message"] for line in lines.getvalue().splitlines()] == ["tick_handled"]


def test_pseudonyms_are_the_same_for_who_knows_the_secret_only() -> None:
    chat = "U" + "a" * 32
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("shared.logs._Key.value", b"random")
        unkeyed = logs.pseudonym(chat)
        logs.key_pseudonyms("one")
        first = logs.pseudonym(chat)
        logs.key_pseudonyms("another")
        other = logs.pseudonym(chat)
        logs.key_pseudonyms("one")

        assert len({unkeyed, first, other}) == 3
        assert logs.pseudonym(chat) == first


def test_a_pseudonym_is_stable_and_does_not_hold_the_id() -> None:
    chat = "U" + "a" * 32

    assert logs.pseudonym(chat) == logs.pseudonym(chat)
    assert logs.pseudonym(chat) != logs.pseudonym("U" + "b" * 32)
    assert chat[1:] not in logs.pseudonym(chat)


@pytest.mark.parametrize("header", [None, "", "nonsense", "00-xyz-1-01"])
def test_a_missing_or_malformed_traceparent_gives_no_trace(header: str | None) -> None:
    assert logs.trace_fields(header) == {}


@given(moments_ms=st.lists(st.integers(0, 4_102_444_800_000), min_size=1))
def test_moments_in_any_order_are_written_as_the_standard_library_does(moments_ms: list[int]) -> None:
    moments = logs.Moments()

    for moment_ms in [*moments_ms, moments_ms[0]]:
        as_is = dt.datetime.fromtimestamp(0, tz=dt.UTC) + dt.timedelta(milliseconds=moment_ms)
        assert moments.written(moment_ms) == as_is.isoformat(timespec="milliseconds")


def test_a_line_without_fields_and_one_with_odd_fields_are_json(lines: io.StringIO) -> None:
    logs.info("first")
    with logs.bound(chat="a"):
        logs.warning('sec"ond', text='"}, 明日', at=dt.date(2026, 11, 26), nested={"a": [1]}, chat="b")

    first, second = (json.loads(line) for line in lines.getvalue().splitlines())
    assert set(first) == {"severity", "message", "time", "version"}
    assert second["message"] == 'sec"ond'
    assert {name: second[name] for name in ("text", "at", "nested", "chat")} == {
        "text": '"}, 明日',
        "at": "2026-11-26",
        "nested": {"a": [1]},
        "chat": "b",
    }
