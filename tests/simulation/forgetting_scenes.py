"""Scenes of `/forget me` in a group, of messages that the bot proposes to take back, and of floods."""

from dataclasses import replace
from typing import Final

from shared.conversation.amendment_records import EditedWords
from shared.line.addressing import GroupPolicy
from shared.storage.codec import decode, encode
from shared.turns.flood import QUIET_S
from shared.turns.waiting_room import PLACES
from tests.simulation.people import Message
from tests.simulation.scene import Scene
from tests.simulation.stage import SMALL_BOUNDS
from tests.simulation.wiring import LEAST

_EVENTS_LAST_S: Final = 31 * 86_400.0
_LINE_IS_QUICK: Final = 1  # a seed with which LINE has the picture ready


def message_that_comes_after_forget_me() -> list[str]:
    """A member writes and takes back everything. The message is delivered after that was handled."""
    with Scene(group=True).playing() as scene:
        late = scene.says()
        _forgets_the_author(scene, late)
        scene.runs_to_end(scene.pushes(scene.delivers(late)))
        return scene.rests()


def context_that_comes_after_forget_me() -> list[str]:
    """The same for a message that is for others."""
    with Scene(group=True).playing() as scene:
        late = scene.says(addressed=False)
        _forgets_the_author(scene, late)
        scene.runs_to_end(scene.pushes(scene.delivers(late)))
        return scene.rests()


def edit_that_comes_after_forget_me() -> list[str]:
    """The same for an edit; the message itself never comes."""
    with Scene(group=True).playing() as scene:
        late = scene.says()
        edited_s = scene.world.now_s + 0.5
        _forgets_the_author(scene, late)
        scene.runs_to_end(scene.edits(late, at_s=edited_s))
        return scene.rests()


def edit_whose_event_has_expired() -> list[str]:
    """A member edits a message that never comes. Retention has deleted the edit's event when its author takes back everything."""
    with Scene(group=True).playing() as scene:
        message = scene.says()
        scene.runs_to_end(scene.edits(message))
        scene.sleeps(_EVENTS_LAST_S)
        bucket = scene.world.objects
        for event in bucket.list("amended/"):
            bucket.delete(event.name)
        _forgets_the_author(scene, message)
        objects = (bucket.read(one.name) for one in bucket.list("edited/"))
        is_kept = any(word.encode() in one.data for one in objects if one is not None for word, _ in message.words)
        return ["I4: the words of an edit whose author took back everything are kept"] if is_kept else []


def question_beside_a_message_that_comes_after_forget_me() -> list[str]:
    """The late message is in the journal, and its worker has not looked yet. Another member asks."""
    with Scene(group=True).playing() as scene:
        late = scene.says(addressed=False)
        _forgets_the_author(scene, late)
        scene.runs_past(scene.pushes(scene.delivers(late)), "write journal/")
        scene.runs_to_end(scene.asks())
        return scene.rests()


def question_beside_a_forget_me_that_has_withdrawn_nothing_yet() -> list[str]:
    """A picture was answered. Its sender takes back everything, and before the picture is withdrawn another member asks."""
    with Scene(seed=_LINE_IS_QUICK, group=True, group_policy=GroupPolicy.MODEL).playing() as scene:
        picture = scene.sends_image()
        scene.runs_to_end(scene.pushes(scene.delivers(picture)))
        is_seen = any(picture.newest_words[0] in said for said in scene.said)
        scene.sleeps(1)
        order = scene.stage.people.order("forget me", at_s=scene.world.now_s, by=picture.author)
        scene.runs_past(scene.pushes(scene.delivers_order(order)), "write amended/")
        scene.runs_to_end(scene.asks())
        found = scene.rests()
        return found if is_seen else [*found, "I6: a picture was not shown"]


def question_that_many_commands_follow() -> list[str]:
    """The button of `/forget` is pressed when more outcomes have followed its question than a reader reads; an older one is there, too."""
    with Scene(bounds=SMALL_BOUNDS).playing() as scene:
        scene.runs_to_end(scene.pushes(scene.delivers_order(scene.commands("help"))))
        press = scene.is_asked_about("forget")
        for _ in range(SMALL_BOUNDS["outcomes_read"] + 1):
            scene.runs_to_end(scene.pushes(scene.delivers_order(scene.commands("help"))))
        scene.runs_to_end(scene.pushes(scene.delivers_order(press)))
        return scene.rests(calm=True)


def press_of_another_member() -> list[str]:
    """A member has the bot propose to take back what that member said, and another one presses the button."""
    with Scene(group=True).playing() as scene:
        asker, other = proposes_to_take_back(scene)
        scene.runs_to_end(scene.pushes(scene.delivers_order(scene.takes_back_as_proposed(by=other))))
        assert asker != other
        return scene.rests()


def proposes_to_take_back(scene: Scene) -> tuple[str, str]:
    """Two members write, and the bot proposes to the first one to take back what that member said; return the two."""
    members = []
    for verb in ("", "", "forget"):
        message = scene.says(verb=verb)
        scene.runs_to_end(scene.pushes(scene.delivers(message)))
        members.append(message.author)
        scene.sleeps(1)
    return members[2], members[1]


def flood_of_one_instance() -> list[str]:
    """More messages come to an instance within a minute than are answered as they come."""
    with Scene(a_minute=1).playing() as scene:
        for _ in range(4):
            scene.asks(instance=0)
            scene.runs(seconds=0.5)
        found = scene.rests(calm=True)
        said = " ".join(scene.said)
        words = [word for message in scene.stage.people.messages for word in message.newest_words]
        return found if all(word in said for word in words) else [*found, "I6: a flood got no answer"]


def flood_whose_newest_message_is_withdrawn() -> list[str]:
    """The newest message of a flood is withdrawn while it waits for the end of the flood."""
    with Scene(a_minute=1).playing() as scene:
        scene.runs_to_end(scene.asks(instance=0))
        newest = None
        for _ in range(3):
            newest = scene.says()
            scene.pushes(scene.delivers(newest), instance=0)
            scene.runs(seconds=0.5)
        assert newest is not None
        scene.takes_back(newest)
        return scene.rests()


def flood_whose_newest_message_is_withdrawn_once_it_is_handed_over() -> list[str]:
    """Two deliveries of a flood's newest message wait for the turn, with so many others that the first one leaves. Then it is withdrawn."""
    with Scene(a_minute=PLACES, seconds=11.0).playing() as scene:
        scene.runs_until(scene.asks(instance=1), "model")
        for _ in range(PLACES + 1):
            scene.asks(instance=0)
            scene.runs(seconds=0.1)
        newest = scene.says()
        delivery = scene.delivers(newest)
        first = scene.pushes(delivery, instance=0)
        scene.runs(seconds=QUIET_S + 2)
        scene.pushes(delivery, instance=0)
        scene.runs_to_end(first)
        scene.runs_to_end(scene.takes_back(newest))
        return scene.rests()


def forgetting_that_dies_before_an_edit_has_lost_its_words() -> list[str]:
    """The worker of `/forget me` dies right after the withdrawal; a compaction drops the message, so only its edit shows whose it is.

    An earlier release wrote the words of the edit, without the mark of who edited.
    """
    with Scene(group=True, limits=LEAST).playing() as scene:
        message = scene.says(addressed=False)
        scene.runs_to_end(scene.pushes(scene.delivers(message)))
        scene.runs_to_end(scene.edits(message))
        bucket = scene.world.objects
        for edited in bucket.list("edited/"):
            stored = bucket.read(edited.name)
            if stored is not None:
                words = replace(decode(EditedWords, stored.data), by=None)
                bucket.replace(edited.name, encode(words), generation=edited.generation)
        scene.sleeps(1)
        order = scene.stage.people.order("forget me", at_s=scene.world.now_s, by=message.author)
        forgetting = scene.pushes(scene.delivers_order(order))
        scene.runs_until(forgetting, "read edited/", times=3)
        scene.dies(forgetting)
        scene.runs_to_end(scene.asks())
        return scene.rests()


def _forgets_the_author(scene: Scene, message: Message) -> None:
    """A second later the author of the message takes back everything, and that is handled."""
    scene.sleeps(1)
    order = scene.stage.people.order("forget me", at_s=scene.world.now_s, by=message.author)
    scene.takes_effect(scene.pushes(scene.delivers_order(order)))
    scene.runs(seconds=0.0)
