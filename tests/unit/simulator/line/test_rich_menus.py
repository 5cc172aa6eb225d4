"""Rich menus: from their creation to a tap."""

from functools import partial
from typing import Any

import httpx2
import pytest

from simulator.line.errors import ImpossibleActionError
from simulator.line.harness import LineHarness
from tests.unit.simulator.line.images import jpeg, png

PNG = png()


def menu(*actions: dict[str, Any], **more: object) -> dict[str, Any]:
    bounds = {"x": 0, "y": 0, "width": 1250, "height": 843}
    areas = [{"bounds": bounds, "action": action} for action in actions or ({"type": "message", "text": "menu"},)]
    size = {"width": 2500, "height": 843}
    return {"size": size, "selected": True, "name": "Main", "chatBarText": "Menu", "areas": areas, **more}


def create(line: LineHarness, *actions: dict[str, Any], image: bool = True) -> str:
    created = line.call("POST", "/v2/bot/richmenu", json=menu(*actions)).json()
    rich_menu_id = str(created["richMenuId"])
    if image:
        upload(line, rich_menu_id)
    return rich_menu_id


def upload(line: LineHarness, rich_menu_id: str, content: bytes = PNG, content_type: str = "image/png") -> int:
    headers = {"Content-Type": content_type}
    return line.call("POST", f"/v2/bot/richmenu/{rich_menu_id}/content", content=content, headers=headers).status_code


def shown(line: LineHarness) -> str | None:
    found = line.platform.rich_menus.shown_to(line.user_id)
    return found.rich_menu_id if found else None


def test_a_menu_is_kept_as_it_was_sent(line: LineHarness) -> None:
    rich_menu_id = create(line)

    kept = line.call("GET", f"/v2/bot/richmenu/{rich_menu_id}").json()

    assert kept == {"richMenuId": rich_menu_id, **menu()}
    assert line.call("GET", "/v2/bot/richmenu/list").json() == {"richmenus": [kept]}
    assert line.call("GET", f"/v2/bot/richmenu/{rich_menu_id}/content").content == PNG
    assert line.call("POST", "/v2/bot/richmenu/validate", json=menu()).status_code == 200


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"size": {"width": 799, "height": 400}}, "size.width"),
        ({"size": {"width": 1000, "height": 900}}, "size"),
        ({"name": ""}, "name"),
        ({"chatBarText": "x" * 15}, "chatBarText"),
        (
            {"areas": [{"bounds": {"x": 0, "y": 0, "width": 1, "height": 1}, "action": {"type": "camera"}}]},
            "areas[0].action.type",
        ),
        ({"areas": [{}] * 21}, "areas"),
    ],
)
def test_a_wrong_menu_is_refused(line: LineHarness, change: dict[str, Any], path: str) -> None:
    refused = line.call("POST", "/v2/bot/richmenu", json=menu(**change))

    assert (refused.status_code, refused.json()["details"][0]["property"]) == (400, path)


def test_the_image_is_a_small_png_or_jpeg_and_sent_once(line: LineHarness) -> None:
    rich_menu_id = create(line, image=False)

    assert upload(line, rich_menu_id, content_type="image/gif") == 415
    assert upload(line, rich_menu_id, b"x" * (1024 * 1024 + 1)) == 413
    assert upload(line, rich_menu_id) == 200
    assert upload(line, rich_menu_id) == 400
    assert upload(line, "richmenu-none") == 404


def test_a_menu_without_an_image_is_not_shown(line: LineHarness) -> None:
    rich_menu_id = create(line, image=False)

    assert line.call("POST", f"/v2/bot/user/all/richmenu/{rich_menu_id}").status_code == 400
    assert line.call("POST", f"/v2/bot/user/{line.user_id}/richmenu/{rich_menu_id}").status_code == 400


def test_a_persons_menu_goes_before_the_default(line: LineHarness) -> None:
    default, own = create(line), create(line)
    line.call("POST", f"/v2/bot/user/all/richmenu/{default}")
    assert (shown(line), line.call("GET", "/v2/bot/user/all/richmenu").json()) == (default, {"richMenuId": default})

    line.call("POST", f"/v2/bot/user/{line.user_id}/richmenu/{own}")
    assert (shown(line), line.call("GET", f"/v2/bot/user/{line.user_id}/richmenu").json()["richMenuId"]) == (own, own)

    line.call("DELETE", f"/v2/bot/user/{line.user_id}/richmenu")
    assert shown(line) == default
    line.call("DELETE", "/v2/bot/user/all/richmenu")
    assert shown(line) is None
    assert line.call("GET", "/v2/bot/user/all/richmenu").status_code == 404


def test_menus_are_linked_and_unlinked_in_bulk_and_deleted(line: LineHarness) -> None:
    rich_menu_id, users = create(line), [line.user_id, "U" + "0" * 32]

    linked = line.call("POST", "/v2/bot/richmenu/bulk/link", json={"richMenuId": rich_menu_id, "userIds": users})
    assert (linked.status_code, shown(line)) == (202, rich_menu_id)
    line.call("POST", "/v2/bot/richmenu/bulk/unlink", json={"userIds": users})
    assert shown(line) is None
    line.call("POST", f"/v2/bot/user/{line.user_id}/richmenu/{rich_menu_id}")
    assert line.call("DELETE", f"/v2/bot/richmenu/{rich_menu_id}").status_code == 200
    assert (shown(line), line.call("GET", f"/v2/bot/richmenu/{rich_menu_id}").status_code) == (None, 404)


def test_an_alias_can_be_made_changed_and_removed(line: LineHarness) -> None:
    one, other = create(line), create(line)

    def ask(method: str, path: str = "", **body: str) -> Any:  # noqa: ANN401 - the answer
        return line.call(method, f"/v2/bot/richmenu/alias{path}", **({"json": body} if body else {}))

    assert ask("POST", richMenuAliasId="main", richMenuId=one).status_code == 200
    assert ask("POST", richMenuAliasId="main", richMenuId=one).status_code == 400
    assert ask("POST", "/main", richMenuId=other).status_code == 200
    assert ask("GET", "/main").json() == {"richMenuAliasId": "main", "richMenuId": other}
    assert ask("GET", "/list").json() == {"aliases": [{"richMenuAliasId": "main", "richMenuId": other}]}
    assert ask("DELETE", "/main").status_code == 200
    assert ask("GET", "/main").status_code == 404


def test_a_tap_causes_what_its_action_says(line: LineHarness) -> None:
    rich_menu_id = create(
        line,
        {"type": "message", "text": "menu"},
        {"type": "postback", "data": "buy=1", "displayText": "Buy"},
        {"type": "uri", "uri": "https://example.com"},
        {"type": "richmenuswitch", "richMenuAliasId": "more", "data": "to=more"},
    )
    more = create(line)
    line.call("POST", "/v2/bot/richmenu/alias", json={"richMenuAliasId": "more", "richMenuId": more})
    line.call("POST", f"/v2/bot/user/all/richmenu/{rich_menu_id}")

    for area in range(4):
        line.do(partial(line.platform.tap_rich_menu, line.user_id, area))

    said, pressed, switched = line.webhook.events
    assert said["message"]["text"] == "menu"
    assert pressed["postback"] == {"data": "buy=1"}
    assert switched["postback"]["params"] == {"newRichMenuAliasId": "more", "status": "SUCCESS"}
    assert shown(line) == more


def test_without_a_menu_there_is_nothing_to_tap(line: LineHarness) -> None:
    with pytest.raises(ImpossibleActionError, match="no rich menu"):
        line.platform.tap_rich_menu(line.user_id, 0)


def batch(line: LineHarness, *operations: dict[str, str]) -> httpx2.Response:
    return line.call("POST", "/v2/bot/richmenu/batch", json={"operations": list(operations)})


def test_a_batch_replaces_and_unlinks_the_menus_of_everybody(line: LineHarness) -> None:
    other = line.platform.add_person("Taro").user_id
    first, second, third = create(line), create(line), create(line)
    line.call("POST", f"/v2/bot/user/{line.user_id}/richmenu/{first}")
    line.call("POST", f"/v2/bot/user/{other}/richmenu/{second}")

    accepted = batch(line, {"type": "link", "from": first, "to": third}, {"type": "unlink", "from": second})
    query = {"requestId": accepted.headers["x-line-request-id"]}
    progress = [line.call("GET", "/v2/bot/richmenu/progress/batch", params=query).json()]
    line.clock.advance(s=1)
    progress.append(line.call("GET", "/v2/bot/richmenu/progress/batch", params=query).json())

    assert accepted.status_code == 202
    assert line.platform.rich_menus.linked == {line.user_id: third}
    assert [told["phase"] for told in progress] == ["ongoing", "succeeded"]
    assert progress[1]["completedTime"] == "2026-01-01T00:00:01.000Z"
    assert batch(line, {"type": "unlinkAll"}).status_code == 202
    assert line.platform.rich_menus.linked == {}


@pytest.mark.parametrize(
    "operations",
    [
        [],
        [{"type": "swap"}],
        [{"type": "unlink", "from": "richmenu-unknown"}],
        [{"type": "unlinkAll"}, {"type": "unlinkAll"}],
        [{"type": "link", "from": "richmenu-unknown"}],
    ],
)
def test_a_wrong_batch_is_refused_and_fails_its_validation(line: LineHarness, operations: list[dict[str, str]]) -> None:
    validated = line.call("POST", "/v2/bot/richmenu/validate/batch", json={"operations": operations})

    assert (batch(line, *operations).status_code, validated.status_code) == (400, 400)


def test_a_batch_may_be_started_three_times_an_hour_and_is_unknown_after_two_weeks(line: LineHarness) -> None:
    accepted = batch(line, {"type": "unlinkAll"})
    statuses = [batch(line, {"type": "unlinkAll"}).status_code for _ in range(3)]
    line.clock.advance(s=14 * 24 * 3_600)
    query = {"requestId": accepted.headers["x-line-request-id"]}

    assert statuses == [202, 202, 429]
    assert line.call("GET", "/v2/bot/richmenu/progress/batch", params=query).status_code == 404


def test_the_taps_of_a_menu_are_counted_by_area_and_day(line: LineHarness) -> None:
    rich_menu_id = create(line, {"type": "message", "text": "a"}, {"type": "message", "text": "b"})
    line.call("POST", f"/v2/bot/user/all/richmenu/{rich_menu_id}")
    people = [line.platform.add_person(f"Person {number}").user_id for number in range(20)]

    def statistics(kind: str) -> dict[str, Any]:
        query = {"from": "20260101", "to": "20260102"}
        return dict(line.call("GET", f"/v2/bot/insight/richmenu/{rich_menu_id}/{kind}", params=query).json())

    for user_id in people[:19]:
        line.do(partial(line.platform.tap_rich_menu, user_id, 1))
    hidden = statistics("summary")
    line.clock.advance(s=24 * 3_600)
    line.do(partial(line.platform.tap_rich_menu, people[19], 0))
    line.do(partial(line.platform.tap_rich_menu, people[19], 0))

    assert hidden == {"richMenuId": rich_menu_id}
    assert [click["metrics"] for click in statistics("summary")["clicks"]] == [
        {"count": 2, "uniqueUsers": 1},
        {"count": 19, "uniqueUsers": 19},
    ]
    assert statistics("daily")["clicks"][0]["metrics"] == [
        {"date": "20260101", "count": 0, "uniqueUsers": 0},
        {"date": "20260102", "count": 2, "uniqueUsers": 1},
    ]


def test_the_statistics_of_a_menu_have_a_longest_span(line: LineHarness) -> None:
    path = f"/v2/bot/insight/richmenu/{create(line)}"

    def status(kind: str, last: str) -> int:
        return line.call("GET", f"{path}/{kind}", params={"from": "20260101", "to": last}).status_code

    assert [status("daily", "20260410"), status("daily", "20260411")] == [200, 400]
    assert [status("summary", "20270201"), status("summary", "20270202")] == [200, 400]
    assert [status("daily", "20251231"), status("daily", "20260231")] == [400, 400]


@pytest.mark.parametrize(
    ("content", "content_type", "status"),
    [
        (jpeg(), "image/jpeg", 200),
        (png(), "image/png", 200),
        (png(2500, 1686), "image/png", 400),
        (jpeg(843, 2500), "image/jpeg", 400),
        (b"\x89PNG\r\n\x1a\n", "image/png", 400),
        (b"\xff\xd8\xff\xc0", "image/jpeg", 400),
        (b"\xff\xd8\xff\xd9" * 9, "image/jpeg", 400),
        (b"GIF89a", "image/png", 400),
    ],
)
def test_the_image_of_a_menu_has_the_size_of_the_menu(
    line: LineHarness, content: bytes, content_type: str, status: int
) -> None:
    assert upload(line, create(line, image=False), content, content_type) == status


@pytest.mark.parametrize("kind", ["unlink", "unlinkAll"])
def test_a_property_that_an_operation_does_not_need_is_passed_over(line: LineHarness, kind: str) -> None:
    operation = {"type": kind, "from": create(line), "to": {}}

    answer = line.call("POST", "/v2/bot/richmenu/batch", json={"operations": [operation]})

    assert answer.status_code == 202
