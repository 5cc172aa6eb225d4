"""Scenes of hooks: notices that come twice, workers that die over them, and hooks that are revoked in between."""

from typing import Final

from shared.hooks.hook import HookMode
from tests.simulation.bus import TICK_S, Delivery
from tests.simulation.hooks import make_hook, notice_to, revoke_hook, rotate_hook
from tests.simulation.people import PERSON
from tests.simulation.scene import Scene
from tests.simulation.scheduler import Task

_MINUTE_S: Final = 61.0
"""After so long the same text is another notice."""
_BETWEEN_WRITES_S: Final = 2.0
"""An object takes one write a second."""
_CLAIM_S: Final = 30.0
"""Longer than a claim lasts."""


def _scene() -> Scene:
    return Scene(has_hooks=True)


def _hook(scene: Scene, mode: HookMode) -> str:
    return make_hook(scene.world, PERSON, number=1, mode=mode)


def _notice(scene: Scene, hook_id: str, number: int = 1) -> Delivery:
    return notice_to(scene.world, PERSON, hook_id, number=number)


def _overheard(scene: Scene) -> None:
    """A member writes something that is not for the bot."""
    scene.runs_to_end(scene.pushes(scene.delivers(scene.says(addressed=False))))


def _asks_the_quota(scene: Scene, messages: int) -> tuple[str, Task]:
    """A notice comes to an account with a quota of so many messages; return its hook, and its worker, which is about to read the count."""
    scene.stage.line.quota = messages
    hook_id = _hook(scene, HookMode.NOW)
    worker = scene.pushes(_notice(scene, hook_id))
    scene.runs_until(worker, "read reminders/")
    scene.sleeps(_BETWEEN_WRITES_S)
    return hook_id, worker


def notice_that_comes_again() -> list[str]:
    """A notice is shown with the next message; a minute later Pub/Sub delivers it again, and another message comes."""
    with _scene().playing() as scene:
        hook_id = _hook(scene, HookMode.NEXT)
        scene.runs_to_end(scene.pushes(_notice(scene, hook_id)))
        scene.runs_to_end(scene.asks())
        scene.sleeps(_MINUTE_S)
        scene.runs_to_end(scene.pushes(_notice(scene, hook_id)))
        scene.runs_to_end(scene.asks())
        return scene.rests()


def notice_with_two_messages_at_once() -> list[str]:
    """Two messages that are not for the bot come at once to two instances, while a notice waits."""
    with _scene().playing() as scene:
        scene.runs_to_end(scene.pushes(_notice(scene, _hook(scene, HookMode.NEXT))))
        first = scene.pushes(scene.delivers(scene.says(addressed=False)), instance=0)
        second = scene.pushes(scene.delivers(scene.says(addressed=False)), instance=1)
        scene.runs_until(first, "list hooks/")
        scene.runs_to_end(second)
        scene.runs_to_end(first)
        _overheard(scene)
        return scene.rests(calm=True)


def answer_with_a_notice_whose_worker_dies() -> list[str]:
    """The worker dies after its answer was sent with a notice, before the notice counts as shown; the message comes again, and another."""
    with _scene().playing() as scene:
        scene.runs_to_end(scene.pushes(_notice(scene, _hook(scene, HookMode.NEXT))))
        question = scene.says()
        worker = scene.pushes(scene.delivers(question))
        scene.runs_until(worker, "write hooks/")
        scene.dies(worker)
        scene.sleeps(TICK_S)
        scene.runs_to_end(scene.pushes(scene.delivers(question)))
        scene.runs_to_end(scene.asks())
        return scene.rests()


def push_whose_worker_dies() -> list[str]:
    """The worker dies after the push of a notice, before it counts as shown; ticks go on under the same key."""
    with _scene().playing() as scene:
        hook_id = _hook(scene, HookMode.NOW)
        notice = _notice(scene, hook_id)
        worker = scene.pushes(notice)
        scene.runs_until(worker, "write journal/")
        scene.dies(worker)
        scene.sleeps(_CLAIM_S + TICK_S)
        scene.runs_to_end(scene.pushes(_notice(scene, hook_id, 2)))
        scene.runs_to_end(scene.asks())
        return scene.rests()


def notice_whose_worker_dies_before_the_push() -> list[str]:
    """The worker dies when the notice is stored and nothing is pushed; Pub/Sub delivers it again."""
    with _scene().playing() as scene:
        hook_id = _hook(scene, HookMode.NOW)
        worker = scene.pushes(_notice(scene, hook_id))
        scene.runs_until(worker, "write due/")
        scene.dies(worker)
        scene.sleeps(_CLAIM_S)
        scene.runs_to_end(scene.pushes(_notice(scene, hook_id)))
        return scene.rests()


def notice_of_a_revoked_hook() -> list[str]:
    """A member revokes the hook; a notice that was published before, and one that comes after, are dropped."""
    with _scene().playing() as scene:
        hook_id = _hook(scene, HookMode.NEXT)
        revoke_hook(scene.world, PERSON, hook_id)
        scene.runs_to_end(scene.pushes(_notice(scene, hook_id)))
        scene.runs_to_end(scene.asks())
        return scene.rests(calm=True)


def hook_that_is_revoked_under_its_push() -> list[str]:
    """A member revokes the hook while a worker has claimed a push, before it looks once more."""
    with _scene().playing() as scene:
        hook_id = _hook(scene, HookMode.NOW)
        worker = scene.pushes(_notice(scene, hook_id))
        scene.runs_until(worker, "write hooks/", times=2)
        revoke_hook(scene.world, PERSON, hook_id)
        scene.runs_to_end(worker)
        scene.runs_to_end(scene.asks())
        return scene.rests()


def notice_with_the_old_token() -> list[str]:
    """A member gives the hook a new token; a notice with the old one is dropped."""
    with _scene().playing() as scene:
        hook_id = _hook(scene, HookMode.NEXT)
        scene.sleeps(_BETWEEN_WRITES_S)
        rotate_hook(scene.world, PERSON, hook_id)
        scene.runs_to_end(scene.pushes(_notice(scene, hook_id)))
        scene.runs_to_end(scene.asks())
        return scene.rests(calm=True)


def claim_whose_worker_dies() -> list[str]:
    """The worker dies when it has claimed the push of a notice and not made it; Pub/Sub delivers the notice again, and ticks come."""
    with _scene().playing() as scene:
        hook_id = _hook(scene, HookMode.NOW)
        worker = scene.pushes(_notice(scene, hook_id))
        scene.runs_until(worker, "push")
        scene.dies(worker)
        scene.runs_to_end(scene.pushes(_notice(scene, hook_id)))
        return scene.rests()


def claim_whose_worker_dies_before_it_counts() -> list[str]:
    """The account has a quota of three messages. The worker dies after its claim, before it counts the push; one more notice comes."""
    with _scene().playing() as scene:
        hook_id, worker = _asks_the_quota(scene, 3)
        scene.runs_past(worker, "write hooks/")
        scene.dies(worker)
        scene.sleeps(_CLAIM_S + TICK_S)
        scene.runs_to_end(scene.pushes(_notice(scene, hook_id, 2)))
        return scene.rests()


def notice_beside_a_command() -> list[str]:
    """A notice waits; a message that is not for the bot comes while the turn is held for the answer to a command."""
    with Scene(has_hooks=True, group=True).playing() as scene:
        chat = scene.stage.people.conversation_id
        hook_id = make_hook(scene.world, chat, number=1, mode=HookMode.NEXT)
        scene.runs_to_end(scene.pushes(notice_to(scene.world, chat, hook_id, number=1)))
        command = scene.pushes(scene.delivers_order(scene.commands("help")), instance=0)
        scene.runs_until(command, "write turns/", times=2)
        scene.sleeps(_BETWEEN_WRITES_S)
        _overheard(scene)
        scene.runs_to_end(command)
        _overheard(scene)
        return scene.rests()


def notice_that_a_slow_worker_finds_no_quota_for() -> list[str]:
    """A worker has read the hook when another one pushes its notice with a second one, which spends the quota. Then it may not push."""
    with _scene().playing() as scene:
        hook_id, slow = _asks_the_quota(scene, 1)
        scene.runs_to_end(scene.pushes(_notice(scene, hook_id, 2)))
        scene.sleeps(_BETWEEN_WRITES_S)
        scene.runs_to_end(slow)
        scene.runs_to_end(scene.asks())
        return scene.rests()
