"""The text of a notice in what a system posts: LINE Notify's parameters, a JSON body by a path, Grafana's alerts, GitHub's events.

For example, `{"message": "backup done"}` gives "backup done", and with the path `check.name` the body `{"check": {"name": "disk"}}` gives
"disk".
Sources: LINE Notify API document, "POST /api/notify"; Grafana, "Configure the webhook notifier", "Payload"; GitHub, "Webhook events and
payloads".
"""

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Final

from shared.bus.notices import LONGEST_UTF16
from shared.frozen import frozen
from shared.line.utf16 import utf16_length, without_lone_surrogates

PICTURE_FIELDS: Final = ("imageFile", "imageThumbnail", "imageFullsize", "stickerId", "stickerPackageId")
"""LINE Notify's parameters for pictures and stickers."""
_TEXT_FIELDS: Final = ("message", "text", "content")  # LINE Notify's; what Slack, Mattermost and Discord call it
_MOST_PATHS: Final = 8
_MOST_ALERTS: Final = 10
_LONGEST_LINE: Final = 300
_LATE: Final = frozenset({"Mn", "Me", "Mc"})  # categories of marks that belong to the character before
_VOWELS: Final = frozenset("\u0e33\u0eb3")  # letters by category that end a character of Thai and Lao
_JOINER: Final = "\u200d"
_MODIFIERS: Final = range(0x1F3FB, 0x1F400)
_FLAGS: Final = range(0x1F1E6, 0x1F200)


@frozen
class NoticeText:
    """The words of a notice; "" if the body holds none."""

    text: str = field(repr=False)
    has_picture: bool = False


def text_of_form(fields: Mapping[str, str]) -> NoticeText:
    """Return the notice in LINE Notify's parameters; pictures and stickers are only reported."""
    return NoticeText(
        text=bounded(fields.get("message", "")), has_picture=any(fields.get(name) for name in PICTURE_FIELDS)
    )


def text_of_json(body: object, *, path: str = "") -> NoticeText:
    """Return the notice in a JSON body: at the `path`, or of Grafana, or in the field `message`, `text` or `content`.

    Several paths, separated by commas, give a line each. Example: the path `alerts.0.labels.name` takes the first alert's name.
    """
    if path:
        values = (_at(body, one.strip()) for one in path.split(",")[:_MOST_PATHS])
        return NoticeText(text=bounded("\n".join(filter(None, map(_line, values)))))
    if not isinstance(body, dict):
        return NoticeText(text=bounded(_line(body)))
    if isinstance(body.get("alerts"), list):
        return NoticeText(text=bounded("\n".join(_grafana_lines(body))))
    texts = (body.get(name) for name in _TEXT_FIELDS)
    text = next((text for text in texts if isinstance(text, str) and text.strip()), "")
    return NoticeText(text=bounded(text), has_picture=any(body.get(name) for name in PICTURE_FIELDS))


def text_of_github(event: str, body: object) -> NoticeText:
    """Return what happened in a repository, for example `momo/garden: push to main by momo` and the first lines of the commits."""
    fields = body if isinstance(body, dict) else {}
    return NoticeText(text=bounded("\n".join(_github_lines(event, fields))))


def bounded(text: str) -> str:
    """Return at most 1,000 UTF-16 units of the text, cut between the characters that people see, with an ellipsis after a cut."""
    text = without_lone_surrogates(text).strip()
    if utf16_length(text) <= LONGEST_UTF16:
        return text
    end, units = 0, 0
    for character in text:
        units += 1 + (ord(character) > 0xFFFF)  # noqa: PLR2004 - the last code point of one unit
        if units > LONGEST_UTF16 - 1:
            break
        end += 1
    shortest = end // 2  # a character with so many marks is cut
    while end > shortest and not _is_boundary(text, end):
        end -= 1
    return text[:end].rstrip() + "…"


def _is_boundary(text: str, end: int) -> bool:
    """Whether the character at `end` begins a new one for people: not a mark, a part of an emoji, or the second half of a flag."""
    before, after = text[end - 1], text[end]
    if (
        unicodedata.category(after) in _LATE
        or after in _VOWELS
        or ord(after) in _MODIFIERS
        or _JOINER in {before, after}
    ):
        return False
    if ord(before) in _FLAGS and ord(after) in _FLAGS:
        start = end
        while start and ord(text[start - 1]) in _FLAGS:
            start -= 1
        return (end - start) % 2 == 0
    return (before, after) != ("\r", "\n")


def _at(body: object, path: str) -> object:
    for name in path.split("."):
        if isinstance(body, dict):
            body = body.get(name)
        elif isinstance(body, list) and name.isascii() and name.isdigit() and len(name) < 6 and int(name) < len(body):  # noqa: PLR2004 - five digits
            body = body[int(name)]
        else:
            return None
    return body


def _line(value: object) -> str:
    """Return a text, a number or a truth value as text; "" for anything else."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, str | int | float) else ""


def _short(value: object) -> str:
    return " ".join(_line(value)[:_LONGEST_LINE].split())


def _grafana_lines(body: Mapping[str, object]) -> Iterator[str]:
    """Yield the title and the message of Grafana's templates; without a message, a line for each alert."""
    yield _short(body.get("title")) or _short(body.get("status")) or "alert"
    message = _line(body.get("message"))
    if message.strip():
        yield message
        return
    alerts = body["alerts"]
    for alert in alerts[:_MOST_ALERTS] if isinstance(alerts, list) else ():
        name = _short(_at(alert, "labels.alertname"))
        summary = _short(_at(alert, "annotations.summary")) or _short(_at(alert, "annotations.description"))
        yield f"{_short(_at(alert, 'status'))}: {name} {summary}".strip()


def _github_lines(event: str, body: Mapping[str, object]) -> Iterator[str]:
    """Yield a line with repository, event and person, then what it is about, and its address."""
    repository, sender = _short(_at(body, "repository.full_name")), _short(_at(body, "sender.login"))
    action = _short(body.get("action"))
    branch = _short(body.get("ref")).removeprefix("refs/heads/")
    kind = " ".join(filter(None, (_short(event), action, f"to {branch}" if event == "push" and branch else "")))
    yield f"{repository}: {kind}{f' by {sender}' if sender else ''}".removeprefix(": ")
    commits = body.get("commits")
    for commit in commits[:_MOST_ALERTS] if isinstance(commits, list) else ():
        message = _line(_at(commit, "message")).strip()
        yield f"- {_short(message.splitlines()[0] if message else '')}"
    for thing in ("pull_request", "issue", "release", "workflow_run", "discussion", "deployment_status"):
        title = _short(_at(body, f"{thing}.title")) or _short(_at(body, f"{thing}.name"))
        state = _short(_at(body, f"{thing}.conclusion"))
        about = " ".join(filter(None, (title, f"({state})" if state else "", _short(_at(body, f"{thing}.html_url")))))
        if about:
            yield about
    zen, compare = _short(body.get("zen")), _short(body.get("compare"))
    yield from filter(None, (zen, compare))
