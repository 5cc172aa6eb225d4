"""Hooks of a schedule's chats: made in the bucket as a member's tap makes them, sent notices, and revoked."""

from dataclasses import replace
from typing import Final

from shared.bus.notices import NOTICE_TYPE, HookNotice
from shared.clock import SKEW_MS
from shared.hooks.hook import Hook, HookMode
from shared.hooks.store import FOLDER
from shared.storage.codec import decode, encode
from tests.simulation.bus import Delivery
from tests.simulation.notices import SentNotice
from tests.simulation.world import World

NAME: Final = "system"
_MARK: Final = "0" * 24
_NEXT_MARK: Final = "1" * 24


def hook_id_of(number: int) -> str:
    """Return the id of a hook by its number, for example `h0000000000000001`."""
    return f"h{number:016d}"


def hook_name(conversation_id: str, hook_id: str) -> str:
    """Return the name of the hook's object."""
    return f"{FOLDER}/{conversation_id}/{hook_id}.json"


def make_hook(world: World, conversation_id: str, *, number: int, mode: HookMode) -> str:
    """Create a hook at once, and return its id."""
    hook = Hook(id=hook_id_of(number), name=NAME, mode=mode, mark=_MARK, made_ms=world.now_ms - SKEW_MS)
    world.objects.create(hook_name(conversation_id, hook.id), encode(hook))
    return hook.id


def revoke_hook(world: World, conversation_id: str, hook_id: str) -> None:
    """A member's tap has ended the hook; what is sent to it from now on is dropped."""
    world.objects.delete(hook_name(conversation_id, hook_id))
    world.truth.revoked_hooks.add(hook_id)


def rotate_hook(world: World, conversation_id: str, hook_id: str) -> None:
    """A member's tap has given the hook a new token; what is sent with the old token from now on is dropped."""
    name = hook_name(conversation_id, hook_id)
    stored = world.objects.read(name)
    if stored is not None:
        world.objects.replace(
            name, encode(replace(decode(Hook, stored.data), mark=_NEXT_MARK)), generation=stored.generation
        )
    world.truth.revoked_hooks.add(hook_id)


def notice_to(world: World, conversation_id: str, hook_id: str, *, number: int) -> Delivery:
    """Return what the webhook published for a notice with a word of its own, for example `notice3n`."""
    sent = SentNotice(
        conversation_id=conversation_id,
        hook_id=hook_id,
        word=f"notice{number}n",
        is_revoked=hook_id in world.truth.revoked_hooks,
    )
    notice = HookNotice(
        id=f"{number:032x}", hook_id=hook_id, conversation_id=conversation_id, mark=_MARK, text=sent.word
    )

    def on_ack() -> None:
        world.truth.notices[notice.id] = sent

    return Delivery(
        name=f"{NOTICE_TYPE} {number}",
        conversation_id=conversation_id,
        function="agent_worker",
        event=notice.data,
        published_s=world.now_s,
        on_ack=on_ack,
    )
