"""People who have not consented to the use of their id.  Source: docs/messaging-api/user-consent."""

import pytest

from simulator.line.errors import ImpossibleActionError
from simulator.line.harness import LineHarness


def stranger_in_group(line: LineHarness) -> tuple[str, str]:
    hana = line.platform.add_person("Hana", has_consented=False).user_id
    group = line.platform.create_group("Lunch", (line.user_id,)).chat_id
    line.do(lambda: line.platform.join(group))
    return hana, group


def test_their_events_name_no_user(line: LineHarness) -> None:
    hana, group = stranger_in_group(line)
    line.do(lambda: line.platform.add_member(group, hana))
    line.do(lambda: line.platform.say(hana, group, "hi"))
    line.do(lambda: line.platform.say(hana, hana, "hi"))

    in_group, in_chat = [event["source"] for event in line.webhook.events if event["type"] == "message"]
    assert in_group == {"type": "group", "groupId": group}
    assert in_chat == {"type": "user"}


def test_they_have_no_profile_and_no_link_token(line: LineHarness) -> None:
    hana, group = stranger_in_group(line)
    line.do(lambda: line.platform.add_member(group, hana))

    assert line.call("GET", f"/v2/bot/profile/{hana}").status_code == 404
    assert line.call("GET", f"/v2/bot/group/{group}/member/{hana}").status_code == 404
    assert line.call("POST", f"/v2/bot/user/{hana}/linkToken").status_code == 404


def test_their_coming_and_going_is_told_without_their_id(line: LineHarness) -> None:
    hana, group = stranger_in_group(line)
    taro = line.platform.add_person("Taro").user_id

    line.do(lambda: line.platform.add_member(group, hana, taro))
    line.do(lambda: line.platform.remove_member(group, hana))

    joined, left = line.webhook.events[-2:]
    assert joined["joined"]["members"] == [{"type": "user"}, {"type": "user", "userId": taro}]
    assert left["left"]["members"] == [{"type": "user"}]


def test_their_paid_membership_causes_no_event(line: LineHarness) -> None:
    hana, _ = stranger_in_group(line)
    before = len(line.webhook.events)

    line.do(lambda: line.platform.change_membership(hana, 1, "joined"))
    line.do(lambda: line.platform.change_membership(line.user_id, 1, "joined"))

    assert [event["type"] for event in line.webhook.events[before:]] == ["membership"]


def test_a_sticker_has_at_most_15_keywords(line: LineHarness) -> None:
    line.do(lambda: line.platform.send_sticker(line.user_id, line.user_id, keywords=["k"] * 15))

    with pytest.raises(ImpossibleActionError, match="15"):
        line.platform.send_sticker(line.user_id, line.user_id, keywords=["k"] * 16)


def test_only_a_video_with_that_tracking_id_can_be_watched(line: LineHarness) -> None:
    with pytest.raises(ImpossibleActionError, match="tracking id"):
        line.platform.finish_video(line.user_id, "never-sent")
