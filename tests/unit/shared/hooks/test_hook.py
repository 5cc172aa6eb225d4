"""The record of a hook: what the notices of a chat become."""

import pytest

from shared.hooks.hook import Hook, HookMode, NoticeState

NOW_MS = 1_795_392_000_000


@pytest.mark.parametrize("state", [NoticeState.WAITING, NoticeState.PENDING])
def test_a_said_notice_never_waits_again(state: NoticeState) -> None:
    hook = Hook(id="h1", name="build", mode=HookMode.NOW, mark="m", made_ms=NOW_MS)
    hook = hook.with_notice("n1", "red", now_ms=NOW_MS).with_notice("n2", "green", now_ms=NOW_MS)
    said = hook.with_states(frozenset({"n1"}), NoticeState.SAID)

    after = said.with_states(frozenset({"n1", "n2"}), state)

    assert [notice.state for notice in after.notices] == [NoticeState.SAID, state]
