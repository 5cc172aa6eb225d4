"""Display names, through LINE's profile endpoints: one each for 1:1 chats, groups and rooms; and the names of groups."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from shared import logs
from shared.adapters.line_calls import LineCalls
from shared.adapters.line_client import LOST_ANSWERS, LineClient, RefusalError


class LineProfiles:
    """Reads display names from LINE; safe to share between threads."""

    def __init__(self, client: LineClient) -> None:
        self._calls = LineCalls(client)

    def display_name(self, conversation_id: str, user_id: str) -> str | None:
        return _name(lambda: self._profile(conversation_id, user_id).display_name)

    def group_name(self, conversation_id: str) -> str | None:
        """Return the name of a group.  Source: LINE, "Get group chat summary": for groups alone; rooms have no name."""
        if not conversation_id.startswith("C"):
            return None
        return _name(lambda: self._calls.group_summary(conversation_id).group_name)

    def is_member(self, conversation_id: str, user_id: str) -> bool | None:
        """Whether LINE knows the person as a member.  Source: LINE, "Get group chat member profile": 404 for any other person."""
        try:
            self._profile(conversation_id, user_id)
        except RefusalError as refusal:
            if refusal.status == HTTPStatus.NOT_FOUND:
                return False
            logs.warning("profile_unavailable", status=refusal.status)
            return None
        except LOST_ANSWERS as cause:
            logs.warning("profile_unavailable", error_type=type(cause).__name__)
            return None
        return True

    def _profile(self, conversation_id: str, user_id: str) -> Any:  # noqa: ANN401 - one of the SDK's three response types
        match conversation_id[:1]:
            case "C":
                return self._calls.group_member_profile(conversation_id, user_id)
            case "R":
                return self._calls.room_member_profile(conversation_id, user_id)
            case _:
                return self._calls.profile(user_id)


def _name(ask: Callable[[], str]) -> str | None:
    """Return the name that LINE gives; None, and a log line unless LINE says that it has none."""
    try:
        return str(ask())
    except RefusalError as refusal:
        if refusal.status != HTTPStatus.NOT_FOUND:  # 404: the person is no friend, is no member, or gave no consent
            logs.warning("profile_unavailable", status=refusal.status)
    except LOST_ANSWERS as cause:
        logs.warning("profile_unavailable", error_type=type(cause).__name__)
    return None
