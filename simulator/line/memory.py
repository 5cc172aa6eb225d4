"""What the platform remembers from run to run: people, chats and what was said, as one JSON file.

Tokens, media and the quota are forgotten: after a restart a bot that still holds a reply token gets 400.
"""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Final

from simulator.line.channel import Channel
from simulator.line.chats import Chat, ChatKind
from simulator.line.messages import DeliveryState, JsonObject, Message, Notice
from simulator.line.people import Bot, Friendship, Person

VERSION: Final = 1


def save(channel: Channel, path: Path) -> None:
    """The file holds the state of this moment; a reader sees the old file or the new one, never half of one."""
    state = {
        "version": VERSION,
        "bot": asdict(channel.account),
        "people": [asdict(person) for person in channel.people.values()],
        "chats": [asdict(chat) for chat in channel.chats.values()],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.unfinished")
    unfinished.write_text(json.dumps(state, ensure_ascii=False, indent=1), encoding="utf-8")
    unfinished.replace(path)


def load(channel: Channel, path: Path) -> None:
    """The channel stands as it was saved. Raises: ValueError, when a newer version wrote the file."""
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
    known = {
        "kind": ChatKind(state["kind"]),
        "member_ids": tuple(state["member_ids"]),
        "entries": entries,
        "loading_until_ms": 0,
    }
    return Chat(**state | known)


def _entry(state: JsonObject) -> Message | Notice:
    if "content" not in state:
        return Notice(**state)
    message = Message(**state | {"delivery": DeliveryState(state["delivery"])})
    if message.delivery is DeliveryState.SENDING:
        return Message(**state | {"delivery": DeliveryState.FAILED, "failure": "unclassified"})
    return message
