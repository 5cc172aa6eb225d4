"""Forgeries about hooks; like those in `forgeries.py`."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from shared.hooks.hook import Hook, HookMode, NoticeState
from shared.storage.codec import decode, encode
from tests.simulation.hooks import hook_name, make_hook, notice_to
from tests.simulation.people import PERSON
from tests.simulation.scene import Scene

_BETWEEN_WRITES_S: Final = 2.0
"""An object takes one write a second."""
_ELSEWHERE: Final = "U" + "9" * 32


def _play(forge: Callable[[Scene, str], None]) -> list[str]:
    """A notice is shown with an answer; then its record is forged."""
    with Scene(has_hooks=True).playing() as scene:
        hook_id = make_hook(scene.world, PERSON, number=1, mode=HookMode.NEXT)
        scene.runs_to_end(scene.pushes(notice_to(scene.world, PERSON, hook_id, number=1)))
        scene.runs_to_end(scene.asks())
        scene.sleeps(_BETWEEN_WRITES_S)
        forge(scene, hook_id)
        return scene.rests(calm=True)


def _rewrite(scene: Scene, hook_id: str, change: Callable[[Hook], Hook]) -> None:
    name = hook_name(PERSON, hook_id)
    stored = scene.world.objects.read(name)
    assert stored is not None
    scene.world.objects.replace(name, encode(change(decode(Hook, stored.data))), generation=stored.generation)


def notice_that_is_gone() -> list[str]:
    return _play(lambda scene, hook_id: _rewrite(scene, hook_id, lambda hook: replace(hook, notices=())))


def shown_notice_that_waits() -> list[str]:
    def forge(scene: Scene, hook_id: str) -> None:
        waiting = [replace(notice, state=NoticeState.WAITING) for notice in _hook_of(scene, hook_id).notices]
        _rewrite(scene, hook_id, lambda hook: replace(hook, notices=tuple(waiting)))

    return _play(forge)


def notice_that_nobody_saw() -> list[str]:
    return _play(lambda scene, _: scene.world.truth.notices_shown.clear())


def notice_in_another_chat() -> list[str]:
    def forge(scene: Scene, _: str) -> None:
        truth = scene.world.truth
        truth.notices = {own_id: replace(sent, conversation_id=_ELSEWHERE) for own_id, sent in truth.notices.items()}

    return _play(forge)


def _hook_of(scene: Scene, hook_id: str) -> Hook:
    stored = scene.world.objects.read(hook_name(PERSON, hook_id))
    assert stored is not None
    return decode(Hook, stored.data)


FORGERIES: Final[tuple[Callable[[], list[str]], ...]] = (
    notice_that_is_gone,
    shown_notice_that_waits,
    notice_that_nobody_saw,
    notice_in_another_chat,
)
