import base64
from pathlib import Path

import pytest

import simulator.line.page
from simulator.line.harness import LineHarness
from simulator.line.user_messages import MEDIA_KEPT
from tests.unit.simulator.line.page.requests import act, ask, state

STATIC = Path(simulator.line.page.__path__[0]) / "static"


def test_the_page_may_load_only_its_own_files(line: LineHarness) -> None:
    page = ask(line, "GET", "/")

    assert page.status_code == 200
    assert "default-src 'self'" in page.headers["content-security-policy"]
    for name in (*(script.name for script in STATIC.glob("*.js")), "style.css", "icon.svg"):
        assert ask(line, "GET", f"/static/{name}").status_code == 200


@pytest.mark.parametrize("path", sorted(STATIC.glob("*.js")), ids=lambda path: path.name)
def test_no_script_sets_markup(path: Path) -> None:
    script = path.read_text(encoding="utf-8")

    assert not [
        word for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(") if word in script
    ]


def test_every_text_of_the_page_exists_in_both_languages() -> None:
    def names(language: str) -> list[str]:
        script = (STATIC / f"texts.{language}.js").read_text(encoding="utf-8")
        return [line.strip().split(":")[0] for line in script.splitlines() if line.startswith("  ")]

    assert names("ja") == names("en")
    assert names("ja")


def test_a_message_of_the_page_reaches_the_webhook_and_the_state(line: LineHarness) -> None:
    said = act(line, "say", text="<b>hello</b>")

    [entry] = state(line)["chats"][0]["entries"]
    assert line.webhook.events[0]["message"]["text"] == "<b>hello</b>"
    assert entry["line_message_id"] == said.json()["line_message_id"]
    assert (entry["content"], entry["delivery"]) == ({"type": "text", "text": "<b>hello</b>"}, "delivered")


def test_the_state_shows_a_refused_delivery(line: LineHarness) -> None:
    line.webhook.answers = [503]
    act(line, "say", text="hello")

    shown = state(line)
    [entry] = shown["chats"][0]["entries"]
    assert (entry["delivery"], entry["failure"]) == ("failed", "503")
    assert [(fact["what"], fact["status"], fact["is_fine"]) for fact in shown["facts"]] == [("message", "503", False)]


def test_the_state_contains_no_token(line: LineHarness) -> None:
    line.reply(line.receive_text(), "hi")
    [said, _answer] = line.platform.chat(line.user_id).messages

    shown = ask(line, "GET", "/simulator/state").text

    secrets = [
        line.platform.channel_secret,
        line.platform.channel_access_token,
        said.quote_token,
        said.mark_as_read_token,
    ]
    assert not [secret for secret in secrets if str(secret) in shown]


def test_every_action_of_a_person_causes_its_event(line: LineHarness) -> None:
    said = act(line, "say", text="take this back").json()
    act(line, "sticker", package_id="11537", sticker_id="52002735")
    act(line, "location", latitude=35.6, longitude=139.7, title="東京駅")
    act(line, "postback", data="answer=1", display_text="Show it")
    act(line, "unsend", line_message_id=said["line_message_id"])
    act(line, "unfollow")
    act(line, "follow")
    hana = act(line, "add_person", display_name="Hana").json()["user_id"]
    group = act(line, "create_group", name="Lunch", user_ids=[line.user_id]).json()["chat_id"]
    act(line, "join", chat_id=group)
    act(line, "add_member", chat_id=group, user_ids=[hana])
    text = act(line, "say", user_id=hana, chat_id=group, text="at ten").json()
    act(line, "edit", user_id=hana, line_message_id=text["line_message_id"], text="at eleven")
    act(line, "remove_member", chat_id=group, user_ids=[hana])
    act(line, "leave", chat_id=group)

    types = [event["type"] for event in line.webhook.events]
    assert types == [
        *("message", "message", "message", "postback", "unsend", "unfollow", "follow"),
        *("join", "memberJoined", "message", "messageEdited", "memberLeft", "leave"),
    ]


def test_an_image_is_sent_and_shown_until_it_is_unsent(line: LineHarness) -> None:
    png = base64.b64encode(b"\x89PNG").decode()

    sent = act(line, "image", content_base64=png, content_type="image/png").json()
    path = f"/simulator/media/{sent['line_message_id']}"
    shown = ask(line, "GET", path)
    act(line, "unsend", line_message_id=sent["line_message_id"])

    assert (shown.content, shown.headers["content-type"]) == (b"\x89PNG", "image/png")
    assert line.webhook.events[0]["message"]["type"] == "image"
    assert ask(line, "GET", path).status_code == 404


@pytest.mark.parametrize("content_type", ["text/html", "image/svg+xml"])
def test_only_image_types_without_scripts_are_accepted(line: LineHarness, content_type: str) -> None:
    assert act(line, "image", content_base64="PHN2Zy8+", content_type=content_type).status_code == 400


def test_the_page_shows_images_only(line: LineHarness) -> None:
    sent = act(line, "file", content_base64="PHN2Zy8+", content_type="text/html").json()

    assert ask(line, "GET", f"/simulator/media/{sent['line_message_id']}").status_code == 404


def test_the_oldest_media_are_dropped(line: LineHarness) -> None:
    first, *others = [act(line, "image").json()["line_message_id"] for _ in range(MEDIA_KEPT + 1)]

    assert first not in line.platform.media
    assert all(one in line.platform.media for one in others)


def test_an_impossible_action_is_answered_with_its_reason(line: LineHarness) -> None:
    act(line, "unfollow")
    answer = act(line, "say", text="hello?")

    assert (answer.status_code, answer.json()) == (409, {"message": "the person has blocked the account"})


def test_malformed_actions_are_refused(line: LineHarness) -> None:
    assert ask(line, "POST", "/simulator/say", json={"user_id": line.user_id}).status_code == 400
    assert ask(line, "POST", "/simulator/say", json=[]).status_code == 400
    assert ask(line, "POST", "/simulator/dance", json={}).status_code == 404
    assert ask(line, "POST", "/simulator/switches", json={"chaos": True}).status_code == 400


def test_a_form_of_a_foreign_page_cannot_act(line: LineHarness) -> None:
    answer = ask(line, "POST", "/simulator/say", content=b"{}", headers={"Content-Type": "text/plain"})

    assert answer.status_code == 415
