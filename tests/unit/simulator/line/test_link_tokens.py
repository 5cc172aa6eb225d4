import pytest

from simulator.line.errors import ImpossibleActionError
from simulator.line.harness import LineHarness


def issued(line: LineHarness, user_id: str) -> str:
    return str(line.call("POST", f"/v2/bot/user/{user_id}/linkToken").json()["linkToken"])


def link(line: LineHarness, user_id: str, token: str) -> str:
    event = line.do(lambda: line.platform.link_account(user_id, "nonce-of-10", link_token=token))
    return str(event.fields["link"]["result"])


def test_a_link_token_links_its_own_user_once_within_ten_minutes(line: LineHarness) -> None:
    token, late = issued(line, line.user_id), issued(line, line.user_id)

    assert link(line, line.user_id, token) == "ok"
    with pytest.raises(ImpossibleActionError, match="expired or was used"):
        link(line, line.user_id, token)
    line.clock.advance(s=600)
    with pytest.raises(ImpossibleActionError, match="expired or was used"):
        link(line, line.user_id, late)


def test_a_link_with_the_token_of_somebody_else_fails(line: LineHarness) -> None:
    other = line.platform.add_person("Mallory").user_id

    assert link(line, other, issued(line, line.user_id)) == "failed"
