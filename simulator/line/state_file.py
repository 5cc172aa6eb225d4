"""The platform's saved state: the bot, people, chats and messages, as one JSON file.

Tokens, media and the quota are not saved: after a restart LINE answers 400 to every older reply token.
"""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Final

from .channel import Channel
from .chats import Chat, ChatKind
from .json_file import write_json_file
from .messages import DeliveryState, JsonObject, Message, Notice
from .people import Bot, Friendship, Person

VERSION: Final = 1


def save(channel: Channel, path: Path) -> None:
    """Write the state of the channel to the file."""
    state = {
        "version": VERSION,
        "bot": asdict(channel.account),
        "people": [asdict(person) for person in channel.people.values()],
        "chats": [asdict(chat) for chat in channel.chats.values()],
    }
    write_json_file(path, state)


def load(channel: Channel, path: Path) -> None:
    """Restore the channel from the file.  Raises: ValueError, when another version wrote the file."""
    state = json.loads(path.read_text(encoding="utf-8"))
    if state["version"] != VERSION:
        raise ValueError(
            f"{path} was written by version {state['version']} of the simulator, this is version {VERSION}"
        )
    channel.account = Bot(**state["bot"])
    channel.courier.destination = channel.account.user_id
    for person in state["people"]:
        channel.people[person["user_id"]] = Person(**person | {"friendship": Friendship(person["friendship"])})
    for chat in state["chats"]:
        channel.chats[chat["chat_id"]] = _chat(chat)


def _chat(state: JsonObject) -> Chat:
    entries = [_entry(entry) for entry in state["entries"]]
    decoded = {
        "kind": ChatKind(state["kind"]),
        "member_ids": tuple(state["member_ids"]),
        "entries": entries,
        "loading_until_ms": 0,
    }
    return Chat(**state | decoded)


def _entry(state: JsonObject) -> Message | Notice:
    if "content" not in state:
        return Notice(**state)
    message = Message(**state | {"delivery": DeliveryState(state["delivery"])})
    if message.delivery is DeliveryState.SENDING:
        return Message(**state | {"delivery": DeliveryState.FAILED, "failure": "unclassified"})
    return message
