import httpx2
import pytest

from simulator.line.harness import LineHarness
from simulator.line.people import Friendship

KEY = "123e4567-e89b-12d3-a456-426655440000"
OTHER_KEY = "123e4567-e89b-12d3-a456-426655440001"


def push(line: LineHarness, to: str, *, key: str | None = None, **message: object) -> httpx2.Response:
    body = {"to": to, "messages": [{"type": "text", "text": "news"} | message]}
    headers = {"X-Line-Retry-Key": key} if key else {}
    return line.call("POST", "/v2/bot/message/push", json=body, headers=headers)


def used(line: LineHarness) -> int:
    return int(line.call("GET", "/v2/bot/message/quota/consumption").json()["totalUsage"])


def test_a_push_counts_its_recipients(line: LineHarness) -> None:
    hana = line.platform.add_person("Hana")
    group = line.platform.create_group("Lunch", (line.user_id, hana.user_id))
    line.do(lambda: line.platform.join(group.chat_id))

    push(line, line.user_id)
    push(line, group.chat_id)

    assert used(line) == 3
    assert line.call("GET", "/v2/bot/message/quota").json() == {"type": "limited", "value": 200}


def test_the_monthly_limit_has_its_own_text_and_ends_with_the_month() -> None:
    with LineHarness(monthly_quota=1) as line:
        assert push(line, line.user_id).status_code == 200
        refused = push(line, line.user_id)
        line.clock.advance(s=32 * 24 * 3_600)

        assert (refused.status_code, refused.json()) == (429, {"message": "You have reached your monthly limit."})
        assert push(line, line.user_id).status_code == 200


def test_replies_do_not_count_against_the_quota(line: LineHarness) -> None:
    line.reply(line.receive_text(), "hi")

    assert used(line) == 0


def test_a_retry_of_an_accepted_push_is_a_conflict_and_sends_nothing(line: LineHarness) -> None:
    first = push(line, line.user_id, key=KEY)
    again = push(line, line.user_id, key=KEY)
    other = push(line, line.user_id, key=OTHER_KEY)

    assert again.status_code == 409
    assert again.json() == {
        "message": "The retry key is already accepted",
        "sentMessages": first.json()["sentMessages"],
    }
    assert again.headers["x-line-accepted-request-id"] == first.headers["x-line-request-id"]
    assert again.headers["x-line-request-id"] != first.headers["x-line-request-id"]
    assert other.status_code == 200
    assert len(list(line.platform.chat(line.user_id).messages)) == 2
    assert used(line) == 2


def test_a_retry_key_is_forgotten_after_a_day(line: LineHarness) -> None:
    push(line, line.user_id, key=KEY)
    line.clock.advance(s=24 * 3_600)

    assert push(line, line.user_id, key=KEY).status_code == 200


def test_a_refused_push_does_not_spend_its_key(line: LineHarness) -> None:
    assert push(line, line.user_id, key=KEY, text="").status_code == 400
    assert push(line, line.user_id, key=KEY).status_code == 200


def test_a_retry_key_is_a_uuid(line: LineHarness) -> None:
    assert push(line, line.user_id, key="once").status_code == 400


@pytest.mark.parametrize(
    ("to", "message"), [("nobody", "The property, 'to',"), (f"U{'0' * 32}", "Failed to send messages")]
)
def test_a_push_to_an_unknown_recipient_is_refused(line: LineHarness, to: str, message: str) -> None:
    answer = push(line, to)

    assert answer.status_code == 400
    assert answer.json()["message"].startswith(message)


def test_a_push_to_a_group_that_the_account_left_is_refused(line: LineHarness) -> None:
    group = line.platform.create_group("Lunch", (line.user_id,))
    line.do(lambda: line.platform.join(group.chat_id))
    line.do(lambda: line.platform.leave(group.chat_id))

    assert push(line, group.chat_id).status_code == 400


def test_a_push_to_a_person_who_blocked_the_account_is_hidden_and_free(line: LineHarness) -> None:
    line.do(lambda: line.platform.unfollow(line.user_id))

    assert push(line, line.user_id).status_code == 200
    assert list(line.platform.chat(line.user_id).messages) == []
    assert used(line) == 0


def test_a_push_reaches_a_stranger_who_wrote_within_seven_days(line: LineHarness) -> None:
    stranger = line.platform.add_person("Mei", friendship=Friendship.STRANGER).user_id
    line.do(lambda: line.platform.say(stranger, stranger, "hi"))
    push(line, stranger)
    line.clock.advance(s=8 * 24 * 3_600)

    push(line, stranger)

    assert [message.content["text"] for message in line.platform.chat(stranger).messages] == ["hi", "news"]


def test_a_multicast_reaches_each_person_once(line: LineHarness) -> None:
    hana = line.platform.add_person("Hana").user_id
    body = {"to": [line.user_id, hana, hana], "messages": [{"type": "text", "text": "news"}]}

    answer = line.call("POST", "/v2/bot/message/multicast", json=body)

    assert (answer.status_code, answer.json()) == (200, {})
    assert used(line) == 2
