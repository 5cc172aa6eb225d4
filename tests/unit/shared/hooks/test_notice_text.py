import json
from pathlib import Path
from typing import Any, Final

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from shared.bus.notices import LONGEST_UTF16
from shared.hooks.notice_text import bounded, text_of_form, text_of_github, text_of_json
from shared.line.utf16 import utf16_length

FAMILY: Final = "👨\u200d👩\u200d👧\u200d👦"
FLAG: Final = "🇯🇵"


@given(st.text(max_size=1_500))
def test_a_text_is_bounded_and_its_beginning_is_kept(text: str) -> None:
    cut = bounded(text)

    assert utf16_length(cut) <= LONGEST_UTF16


@pytest.mark.parametrize("character", ["a", "字", "👍", FAMILY, FLAG, "กำ", "e\u0301", "👍🏽"])
def test_a_cut_falls_between_the_characters_that_people_see(character: str) -> None:
    shown = bounded(character * 1_200)

    assert shown.endswith("…")
    assert set(regex.findall(r"\X", shown[:-1])) == {character}
    assert utf16_length(shown) > LONGEST_UTF16 - utf16_length(character) - 2


def test_a_text_of_the_longest_length_stays_whole() -> None:
    assert bounded("a" * LONGEST_UTF16) == "a" * LONGEST_UTF16


def test_a_form_is_line_notifys() -> None:
    notice = text_of_form({"message": "\nhello\nworld", "notificationDisabled": "true"})

    assert (notice.text, notice.has_picture) == ("hello\nworld", False)


@pytest.mark.parametrize("field", ["imageFile", "imageThumbnail", "imageFullsize", "stickerId"])
def test_a_picture_or_sticker_is_reported(field: str) -> None:
    assert text_of_form({"message": "look", field: "1"}).has_picture


@pytest.mark.parametrize(
    ("body", "path", "text"),
    [
        ({"message": "hello"}, "", "hello"),
        ({"text": "slack"}, "", "slack"),
        ({"content": "discord"}, "", "discord"),
        ("hello", "", "hello"),
        ({"check": {"name": "disk", "value": 93.5}}, "check.name,check.value", "disk\n93.5"),
        ({"rows": [{"on": True}]}, "rows.0.on", "true"),
        ({"rows": []}, "rows.7.on", ""),
        ({"rows": []}, "rows.x", ""),
        ({"message": {"deep": 1}}, "", ""),
        ([1, 2], "", ""),
        (None, "", ""),
        ({}, "a." * 500, ""),
    ],
)
def test_a_json_body_is_read_by_its_path_or_its_usual_fields(body: object, path: str, text: str) -> None:
    assert text_of_json(body, path=path).text == text


def test_grafana_says_its_title_and_message() -> None:
    body = {
        "receiver": "line",
        "status": "firing",
        "title": "[FIRING:1] disk",
        "message": "**Firing**\nValue: 93",
        "alerts": [],
    }

    assert text_of_json(body).text == "[FIRING:1] disk\n**Firing**\nValue: 93"


def test_grafanas_alerts_are_lines_without_a_message() -> None:
    alerts = [{"status": "firing", "labels": {"alertname": "disk"}, "annotations": {"summary": "93 % full"}}]

    assert text_of_json({"status": "firing", "alerts": alerts}).text == "firing\nfiring: disk 93 % full"


def github(event: str, **body: Any) -> str:  # noqa: ANN401 - fields of the body
    sender = {"repository": {"full_name": "momo/garden"}, "sender": {"login": "momo"}}
    return text_of_github(event, {**sender, **body}).text


def test_github_says_what_happened_in_which_repository() -> None:
    pushed = github(
        "push",
        ref="refs/heads/main",
        compare="https://github.com/momo/garden/compare/1",
        commits=[{"message": "Water\n\nall"}],
    )
    opened = github(
        "issues", action="opened", issue={"title": "Dry", "html_url": "https://github.com/momo/garden/issues/1"}
    )
    failed = github("workflow_run", action="completed", workflow_run={"name": "ci", "conclusion": "failure"})

    assert pushed == "momo/garden: push to main by momo\n- Water\nhttps://github.com/momo/garden/compare/1"
    assert opened == "momo/garden: issues opened by momo\nDry https://github.com/momo/garden/issues/1"
    assert failed == "momo/garden: workflow_run completed by momo\nci (failure)"


@pytest.mark.parametrize("body", [None, [], {}, {"commits": [1, None, {"message": []}]}, {"sender": [], "alerts": "x"}])
def test_odd_bodies_are_no_error(body: object) -> None:
    text_of_github("push", body)
    text_of_json(body)
    text_of_json({"alerts": body if isinstance(body, list) else [body]})


def test_the_schema_bounds_what_is_published() -> None:
    schema = json.loads(Path("schemas/events/notice.json").read_text(encoding="utf-8"))

    assert schema["properties"]["notice"]["properties"]["text"]["maxLength"] == LONGEST_UTF16
