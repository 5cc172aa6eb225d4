"""The people and the official account, with profiles."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal


class Friendship(StrEnum):
    """The relation of a person to the account."""

    STRANGER = "stranger"
    FRIEND = "friend"
    BLOCKED = "blocked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A LINE user.

    `has_consented`: without consent no group event and no mention carries the person's id.
    Source: "Get user consent", docs/messaging-api/user-consent.
    """

    user_id: str
    display_name: str
    picture_url: str | None = None
    status_message: str | None = None
    language: str | None = "ja"
    has_consented: bool = True
    friendship: Friendship = Friendship.FRIEND


@dataclass(frozen=True, slots=True, kw_only=True)
class Bot:
    """The channel's official account.

    `chat_mode`: with "chat" the bot marks messages as read; with "bot" LINE does so at once.
    Source: Messaging API reference, "Get bot info".
    """

    user_id: str
    display_name: str = "Aizuchi"
    basic_id: str = "@aizuchi"
    picture_url: str | None = None
    chat_mode: Literal["chat", "bot"] = "chat"
    may_join_groups: bool = True

    @property
    def mark_as_read_mode(self) -> Literal["auto", "manual"]:
        """`auto` if and only if chat is off."""
        return "manual" if self.chat_mode == "chat" else "auto"
