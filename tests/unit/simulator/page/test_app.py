import asyncio
import random
from pathlib import Path
from typing import Any

import httpx2
import pytest

import simulator.page
from simulator.line.rehearsal import Rehearsal
from simulator.notion.api import NotionStandIn
from simulator.notion.lists import furnish
from simulator.notion.workspace import Workspace
from simulator.page.app import page_routes
from simulator.trace.trace import Trace

ABOUT = {"model": "stand-in", "notice": "Answers come from a script."}
STATIC = Path(simulator.page.__path__[0]) / "static"


def ask(
    line: Rehearsal,
    method: str,
    path: str,
    *,
    trace: Trace | None = None,
    **request: Any,  # noqa: ANN401 - whatever httpx2 takes
) -> httpx2.Response:
    async def send() -> httpx2.Response:
        app = line.platform.app_with(page_routes(line.platform, ABOUT, trace or Trace(now_ms=line.platform.now_ms)))
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://page.test") as client:
            response = await client.request(method, path, **request)
        await line.platform.settled()
        return response

    return line.run(send())


def act(line: Rehearsal, action: str, **body: object) -> httpx2.Response:
    return ask(line, "POST", f"/simulator/{action}", json={"user_id": line.user_id, "chat_id": line.user_id} | body)


def state(line: Rehearsal) -> dict[str, Any]:
    return dict(ask(line, "GET", "/simulator/state").json())


def test_the_page_and_its_files_are_served_without_leave_to_load_anything_else(line: Rehearsal) -> None:
    page = ask(line, "GET", "/")

    assert page.status_code == 200
    assert "default-src 'self'" in page.headers["content-security-policy"]
    for name in (*(script.name for script in STATIC.glob("*.js")), "style.css", "icon.svg"):
        assert ask(line, "GET", f"/static/{name}").status_code == 200


@pytest.mark.parametrize("path", sorted(STATIC.glob("*.js")), ids=lambda path: path.name)
def test_no_script_turns_words_of_people_into_markup(path: Path) -> None:
    script = path.read_text(encoding="utf-8")

    assert not [
        word for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(") if word in script
    ]


def test_every_word_of_the_page_exists_in_both_languages() -> None:
    script = (STATIC / "texts.js").read_text(encoding="utf-8")
    japanese, english = script.split("  en: {")

    def names(part: str) -> list[str]:
        return [line.strip().split(":")[0] for line in part.splitlines() if line.startswith("    ")]

    assert names(japanese) == names(english.split("\n};")[0])


def test_what_is_said_on_the_page_reaches_the_webhook_and_the_state(line: Rehearsal) -> None:
    said = act(line, "say", text="<b>hello</b>")

    [entry] = state(line)["chats"][0]["entries"]
    assert line.webhook.events[0]["message"]["text"] == "<b>hello</b>"
    assert entry["line_message_id"] == said.json()["line_message_id"]
    assert (entry["content"], entry["delivery"]) == ({"type": "text", "text": "<b>hello</b>"}, "delivered")


def test_the_state_tells_what_a_webhook_refused(line: Rehearsal) -> None:
    line.webhook.answers = [503]
    act(line, "say", text="hello")

    shown = state(line)
    [entry] = shown["chats"][0]["entries"]
    assert (entry["delivery"], entry["failure"]) == ("failed", "503")
    assert [(fact["what"], fact["status"], fact["is_fine"]) for fact in shown["facts"]] == [("message", "503", False)]


def test_no_token_leaves_with_the_state(line: Rehearsal) -> None:
    line.reply(line.said(), "hi")
    [said, _answer] = line.platform.chat(line.user_id).messages

    shown = ask(line, "GET", "/simulator/state").text

    secrets = [
        line.platform.channel_secret,
        line.platform.channel_access_token,
        said.quote_token,
        said.mark_as_read_token,
    ]
    assert not [secret for secret in secrets if str(secret) in shown]


def test_every_action_of_a_person_causes_its_event(line: Rehearsal) -> None:
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


def test_an_image_is_sent_and_shown_until_it_is_unsent(line: Rehearsal) -> None:
    where = f"user_id={line.user_id}&chat_id={line.user_id}"
    headers = {"Content-Type": "image/png"}

    sent = ask(line, "POST", f"/simulator/image?{where}", content=b"\x89PNG", headers=headers).json()
    path = f"/simulator/media/{sent['line_message_id']}"
    shown = ask(line, "GET", path)
    act(line, "unsend", line_message_id=sent["line_message_id"])

    assert (shown.content, shown.headers["content-type"]) == (b"\x89PNG", "image/png")
    assert line.webhook.events[0]["message"]["type"] == "image"
    assert ask(line, "GET", path).status_code == 404


@pytest.mark.parametrize("content_type", ["text/html", "image/svg+xml"])
def test_only_images_without_scripts_are_taken(line: Rehearsal, content_type: str) -> None:
    where = f"user_id={line.user_id}&chat_id={line.user_id}"

    answer = ask(line, "POST", f"/simulator/image?{where}", content=b"<svg/>", headers={"Content-Type": content_type})

    assert answer.status_code == 422


def test_what_a_person_cannot_do_is_told_plainly(line: Rehearsal) -> None:
    act(line, "unfollow")
    answer = act(line, "say", text="hello?")

    assert (answer.status_code, answer.json()) == (409, {"message": "the person has blocked the account"})


def test_malformed_actions_are_refused(line: Rehearsal) -> None:
    assert ask(line, "POST", "/simulator/say", json={"text": "who?"}).status_code == 400
    assert ask(line, "POST", "/simulator/say", json=[]).status_code == 400
    assert ask(line, "POST", "/simulator/dance", json={}).status_code == 404
    assert ask(line, "POST", "/simulator/switches", json={"chaos": True}).status_code == 409


def test_a_form_of_a_foreign_page_cannot_act(line: Rehearsal) -> None:
    answer = ask(line, "POST", "/simulator/say", content=b"{}", headers={"Content-Type": "text/plain"})

    assert answer.status_code == 415


def test_the_state_leads_from_messages_to_the_events_about_them(line: Rehearsal) -> None:
    said = act(line, "say", text="hello").json()
    line.reply(line.platform.events[-1].reply_token, "hi", "how are you?")
    unsent = act(line, "unsend", line_message_id=said["line_message_id"]).json()

    asked, *answers = state(line)["chats"][0]["entries"]
    assert asked["webhook_event_ids"] == [said["webhook_event_id"], unsent["webhook_event_id"]]
    assert [answer["webhook_event_ids"] for answer in answers] == [[said["webhook_event_id"]]] * 2


def test_the_trace_of_an_event_is_told_with_times_since_it_was_sent(line: Rehearsal) -> None:
    now_ms = iter((1_000, 1_030))
    trace = Trace(now_ms=lambda: next(now_ms))
    trace.heard_line("event_created", {"webhook_event_id": "E1", "type": "message"})
    trace.heard_line("webhook_refused", {"webhook_event_id": "E1", "status": 503, "duration_ms": 20})

    told = ask(line, "GET", "/simulator/trace/E1", trace=trace)

    assert told.headers["cache-control"] == "no-store"
    created, refused = told.json()["steps"]
    assert told.json()["type"] == "message"
    assert (created["since_ms"], created["is_failed"]) == (0, False)
    assert refused == {
        "name": "webhook_refused",
        "part": "LINE",
        "since_ms": 10,
        "details": {"status": 503, "duration_ms": 20},
        "is_failed": True,
        "is_repeated": False,
    }


def test_an_event_of_an_earlier_run_has_no_steps(line: Rehearsal) -> None:
    told = ask(line, "GET", "/simulator/trace/01FZ74A0TDDPYRVKNK77XKC3ZR")

    assert (told.status_code, told.json()) == (200, {"type": None, "steps": []})


def test_switches_are_changed_one_by_one(line: Rehearsal) -> None:
    ask(line, "POST", "/simulator/switches", json={"redelivers": True})
    answer = ask(line, "POST", "/simulator/switches", json={"duplicates": 2})

    assert (answer.json()["redelivers"], answer.json()["duplicates"]) == (True, 2)
    assert line.platform.switches.duplicates == 2


def test_the_stream_tells_of_changes_and_stops_listening_at_its_end(line: Rehearsal) -> None:
    trace = Trace(now_ms=line.platform.now_ms)

    async def listen() -> list[bytes]:
        received: list[bytes] = []
        heard = asyncio.Event()
        hung_up = asyncio.Event()

        async def receive() -> dict[str, Any]:
            await hung_up.wait()
            return {"type": "http.disconnect"}

        async def send(message: dict[str, Any]) -> None:
            received.append(message.get("body", b""))
            heard.set()

        scope = {
            "type": "http",
            "method": "GET",
            "path": "/simulator/events",
            "headers": [],
            "query_string": b"",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
        }
        app = line.platform.app_with(page_routes(line.platform, ABOUT, trace))
        stream = asyncio.create_task(app(scope, receive, send))  # type: ignore[arg-type]  # narrower than ASGI's own types
        while b"changed" not in b"".join(received):
            heard.clear()
            await heard.wait()
        line.platform.say(line.user_id, line.user_id, "hello")
        while b"".join(received).count(b"event: changed") < 2:
            heard.clear()
            await heard.wait()
        told_before = b"".join(received).count(b"event: traced")
        trace.heard_line("event_created", {"webhook_event_id": "E1", "type": "message"})
        while b"".join(received).count(b"event: traced") == told_before:
            heard.clear()
            await heard.wait()
        hung_up.set()
        await stream
        await line.platform.settled()
        return received

    line.run(asyncio.wait_for(listen(), 5))

    assert line.platform._listeners == []  # noqa: SLF001 - that nobody is left is the point
    assert trace._listeners == []  # noqa: SLF001 - likewise


def test_the_state_tells_what_stands_in_the_lists_and_the_stream_when_that_changes(line: Rehearsal) -> None:
    workspace = Workspace(rng=random.Random(1), now_ms=line.platform.now_ms)
    furnish(workspace)
    desk = NotionStandIn(workspace, token="token", monotonic_s=lambda: 0.0)
    routes = page_routes(line.platform, ABOUT, Trace(now_ms=line.platform.now_ms), workspace)
    changes: list[str] = []
    workspace.listen(lambda: changes.append("changed"))

    async def added() -> dict[str, Any]:
        source_id = next(iter(workspace.data_sources))
        body = {
            "parent": {"data_source_id": source_id},
            "properties": {"品名": {"title": [{"text": {"content": "牛乳"}}]}, "数量": {"number": 2}},
        }
        headers = {"Authorization": "Bearer token", "Notion-Version": "2025-09-03"}
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=desk.app), base_url="http://n.test") as client:
            assert (await client.post("/v1/pages", json=body, headers=headers)).status_code == 200
        transport = httpx2.ASGITransport(app=line.platform.app_with(routes))
        async with httpx2.AsyncClient(transport=transport, base_url="http://page.test") as client:
            return dict((await client.get("/simulator/state")).json())

    shopping, todo = line.run(added())["lists"]

    assert (shopping["title"], todo["title"]) == ("買い物リスト", "やることリスト")
    assert [(page["title"], page["is_done"], page["values"]) for page in shopping["pages"]] == [
        ("牛乳", False, ["数量: 2"])
    ]
    assert changes == ["changed"]
