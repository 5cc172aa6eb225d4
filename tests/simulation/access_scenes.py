"""Scenes of the door: revocations, what is taken back behind it, and messages that overtake the code that lets them in."""

from typing import Final

from shared.access.admission import CACHED_S, Access, Admissions
from shared.access.invitations import Invitations
from shared.adapters.memory import FixedClock
from tests.simulation.bus import Delivery
from tests.simulation.people import GROUP, PERSON, Message
from tests.simulation.scene import Scene

_SLOW_READ_S: Final = 40.0
_LATER_MS: Final = FixedClock().now_ms() + 3_600_000


def edit_behind_the_door() -> list[str]:
    """A message is edited while its chat is revoked. The chat is admitted again, and a member asks."""
    with Scene(group=True, access=Access.INVITED).playing() as scene:
        message = _says_in_admitted_chat(scene)
        operator(scene).revoke(GROUP)
        scene.sleeps(CACHED_S)
        scene.runs_to_end(scene.edits(message))
        operator(scene).admit(GROUP, since_ms=0, renews=True)
        scene.sleeps(CACHED_S)
        scene.runs_to_end(scene.asks())
        return scene.rests()


def edit_of_a_message_that_is_not_stored() -> list[str]:
    """A message is sent to a revoked chat, where it is not stored, and edited."""
    with Scene(group=True, access=Access.INVITED).playing() as scene:
        _says_in_admitted_chat(scene)
        operator(scene).revoke(GROUP)
        scene.sleeps(CACHED_S)
        unheard = scene.says(addressed=False)
        scene.runs_to_end(scene.pushes(scene.delivers(unheard)))
        scene.sleeps(1)
        scene.runs_to_end(scene.edits(unheard))
        stored = [scene.world.objects.read(one.name) for one in scene.world.objects.list("")]
        holds = any(word.encode() in one.data for one in stored if one is not None for word, _ in unheard.words)
        return ["I9: words are stored that were written in a revoked chat"] if holds else []


def admission_that_is_read_slowly() -> list[str]:
    """An instance reads an admission, and the answer takes long; meanwhile the chat is revoked. A minute later a member writes."""
    with Scene(access=Access.INVITED).playing() as scene:
        operator(scene).admit(PERSON, since_ms=0)
        scene.sleeps(1)
        worker = scene.asks(instance=0)
        scene.sleeps_after(worker, "read admitted/", seconds=_SLOW_READ_S)
        scene.runs_until(worker, "sleeps in")
        operator(scene).revoke(PERSON)
        revoked_s = scene.world.now_s
        scene.runs_to_end(worker)
        said = len(scene.said)
        scene.sleeps(revoked_s + CACHED_S - scene.world.now_s)
        scene.runs_to_end(scene.asks(instance=0))
        is_answered = len(scene.said) > said
        return ["I9: a chat was answered a minute after its revocation"] if is_answered else []


def chat_that_is_admitted_again() -> list[str]:
    """A revoked chat is met with silence; then the operator admits it, and its next message comes at once."""
    with Scene(access=Access.INVITED).playing() as scene:
        operator(scene).admit(PERSON, since_ms=0)
        scene.sleeps(1)
        operator(scene).revoke(PERSON)
        scene.sleeps(1)
        scene.runs_to_end(scene.pushes(scene.delivers_order(scene.commands("help")), instance=0))
        operator(scene).admit(PERSON, since_ms=0, renews=True)
        scene.runs_to_end(scene.asks(instance=0))
        return scene.rests()


def message_that_overtakes_the_code() -> list[str]:
    """A member gives the code and asks something. The question is handled first, and meets a closed door."""
    with Scene(access=Access.INVITED).playing() as scene:
        start = scene.pushes(starts(scene, new_code(scene)), instance=0)
        scene.runs_until(start, "read invitations/")
        scene.sleeps(1)
        question = scene.asks(instance=1)
        scene.runs_past(question, "read admitted/")
        scene.runs_to_end(start)
        scene.runs_to_end(question)
        return scene.rests(calm=True)


def unsend_that_overtakes_the_code() -> list[str]:
    """The same, and the question is withdrawn at once: the withdrawal is handled before the code, too, and finds nothing of the chat."""
    with Scene(access=Access.INVITED).playing() as scene:
        start = scene.pushes(starts(scene, new_code(scene)), instance=0)
        scene.runs_until(start, "read invitations/")
        scene.sleeps(1)
        question = scene.says()
        asking = scene.pushes(scene.delivers(question), instance=1)
        scene.runs_past(asking, "read admitted/")
        withdrawal = scene.takes_back(question)
        scene.comes_to(withdrawal, "sleep")
        scene.runs_to_end(start)
        scene.runs_to_end(asking)
        scene.runs_to_end(withdrawal)
        return scene.rests()


def new_code(scene: Scene) -> str:
    """Return a code of the operator's that admits one chat."""
    return Invitations(store=scene.world.objects, clock=FixedClock()).invite(expires_ms=_LATER_MS)


def operator(scene: Scene) -> Admissions:
    """Return the admissions as the operator's command meets them."""
    return Admissions(store=scene.world.objects, clock=FixedClock())


def starts(scene: Scene, code: str, *, chat: int = 0) -> Delivery:
    """A member gives the code; nothing is pushed yet."""
    return scene.delivers_order(scene.stage.chats[chat].order(f"start {code}", at_s=scene.world.now_s))


def _says_in_admitted_chat(scene: Scene) -> Message:
    """A member writes something that is for others, in a chat that was admitted."""
    operator(scene).admit(GROUP, since_ms=0)
    message = scene.says(addressed=False)
    scene.runs_to_end(scene.pushes(scene.delivers(message)))
    scene.sleeps(1)
    return message
