"""Scenes of what is filed, and of pages in Notion."""

from typing import Final

from shared.handlers.holdings import Held, Holding, described
from shared.knowledge.catalog import Row
from shared.knowledge.schema import DONE
from shared.knowledge.tombstone import tombstone_in
from shared.line.phrases import Phrase, phrase
from shared.locales import LOCALES
from tests.simulation.listed import listed_rows, ticks
from tests.simulation.people import Message, Order
from tests.simulation.scene import LONG_SLEEP_S, MINUTE_S, Scene
from tests.simulation.wiring import TINY

_SOME_ARE_UNSURE: Final = 12  # thoughts, of which the model's classifier is unsure about a third
_ONE_NOTE: Final = Holding(folder=Held.ENTRIES, count=1)
_UNTIL_IT_IS_ARCHIVED: Final = 6  # messages
_SENTENCES: Final = tuple(
    phrase(Phrase.EDIT_REMOVED, locale=locale, bot_name="", things=described([_ONE_NOTE], locale=locale))
    for locale in LOCALES
)


def message_that_is_filed() -> list[str]:
    """A member asks for something to be kept."""
    with Scene(has_knowledge=True).playing() as scene:
        scene.runs_to_end(scene.asks_for("file"))
        return scene.rests(calm=True)


def entry_of_two_messages() -> list[str]:
    """One message is filed, another one is added to its entry and then withdrawn."""
    with Scene(has_knowledge=True).playing() as scene:
        scene.runs_to_end(scene.asks_for("file"))
        scene.sleeps(1)
        note = scene.says(verb="note")
        scene.runs_to_end(scene.pushes(scene.delivers(note)))
        scene.sleeps(1)
        scene.runs_to_end(scene.takes_back(note))
        return scene.rests()


def entry_that_is_ticked() -> list[str]:
    """A press ticks a listed entry; its worker dies before the press is recorded, and the next one ends it."""
    with Scene(has_knowledge=True).playing() as scene:
        scene.stage.mood.names, scene.stage.mood.categories = ("lunch",), ("admin",)
        scene.runs_to_end(scene.asks_for("file"))
        order = _ticks(scene)
        worker = scene.pushes(scene.delivers_order(order))
        scene.runs_until(worker, "write journal/")
        scene.dies(worker)
        scene.sleeps(MINUTE_S)
        scene.runs_to_end(scene.pushes(scene.delivers_order(order)))
        return [*_undone(scene), *scene.rests()]


def entry_that_changes_before_a_tick() -> list[str]:
    """A press has come, and waits for the turn of a message that adds a line to the entry; the entry then is done and has the line."""
    with Scene(has_knowledge=True).playing() as scene:
        scene.stage.mood.names, scene.stage.mood.categories = ("lunch",), ("admin",)
        scene.runs_to_end(scene.asks_for("file"))
        scene.sleeps(1)
        order = _ticks(scene)
        line = scene.says(verb="note")
        scene.runs_behind(order, line)
        (row,) = _rows(scene)
        is_whole = line.words[0][0] in row.folded["content"]
        return [*_undone(scene), *([] if is_whole else ["I6: a tick removed a line of its entry"]), *scene.rests()]


def _ticks(scene: Scene) -> Order:
    """A member presses "Done" beside the only entry of the list; nothing is delivered yet."""
    (row,) = _rows(scene)
    return ticks(scene.world, scene.stage.people, row)


def _rows(scene: Scene) -> tuple[Row, ...]:
    return listed_rows(scene.world, scene.stage.people)


def _undone(scene: Scene) -> list[str]:
    is_undone = any(row.status != DONE for row in _rows(scene))
    return ["I10: an entry is open although a press was told that it is done"] if is_undone else []


def note_that_an_edit_removes() -> list[str]:
    """A member edits a message that was filed; LINE's event brings no reply token, so the next answer says that the note went."""
    with Scene(group=True, has_knowledge=True).playing() as scene:
        filed = scene.says(verb="file")
        scene.runs_to_end(scene.pushes(scene.delivers(filed)))
        scene.sleeps(1)
        scene.runs_to_end(scene.edits(filed))
        return [*_untold(scene), *scene.rests()]


def edit_whose_worker_dies_before_it_says_what_went() -> list[str]:
    """The worker that removes a note for an edit dies before it says so; Pub/Sub delivers the edit again."""
    with Scene(group=True, has_knowledge=True).playing() as scene:
        filed = scene.says(verb="file")
        scene.runs_to_end(scene.pushes(scene.delivers(filed)))
        scene.sleeps(1)
        edit = scene.delivers_edit(filed)
        worker = scene.pushes(edit)
        scene.runs_until(worker, "write turns/")
        scene.dies(worker)
        was_filed = bool(_rows(scene))
        scene.sleeps(MINUTE_S)
        scene.runs_to_end(scene.pushes(edit))
        assert not was_filed  # or the worker died before the sweep, which proves nothing
        return [*_untold(scene), *scene.rests()]


def _untold(scene: Scene) -> list[str]:
    """Ask, and return whether the answer is silent about the note that an edit removed."""
    before = len(scene.said)
    scene.runs_to_end(scene.asks())
    told = [text for text in scene.said[before:] if any(sentence in text for sentence in _SENTENCES)]
    return [] if len(told) == 1 else ["I6: an edit removed a note, and nobody was told"]


def common_words_that_another_member_takes_back() -> list[str]:
    """A member files something in words of which another member had said some; these are taken back.  The model paraphrases the rest."""
    with Scene(group=True, has_knowledge=True, manner="paraphrases").playing() as scene:
        common = scene.says(addressed=False, says_more=True)
        scene.runs_to_end(scene.pushes(scene.delivers(common)))
        scene.runs_to_end(scene.pushes(scene.delivers(scene.says(verb="file", says_more=True))))
        scene.runs_to_end(scene.takes_back(common))
        return scene.rests()


def question_beside_a_message_that_is_filed() -> list[str]:
    """Two members are answered together: one asks for something to be kept, and the other one takes the question back."""
    with Scene(group=True, has_knowledge=True).playing() as scene:
        question = scene.says()
        scene.runs_until(scene.pushes(scene.delivers(question)), "list journal/")
        scene.runs_to_end(scene.asks_for("file"))
        scene.runs_to_end(scene.takes_back(question))
        return scene.rests()


def entry_that_is_filed_anew_before_a_late_deletion() -> list[str]:
    """An entry is withdrawn, and another one of the same name is filed; then the deletion of the first takes effect once more."""
    with Scene(has_knowledge=True).playing() as scene:
        scene.stage.mood.names, scene.world.weather.late_deletions = ("lunch",), 1.0
        message = scene.says(verb="file")
        scene.runs_to_end(scene.pushes(scene.delivers(message)))
        scene.sleeps(1)
        scene.runs_to_end(scene.takes_back(message))
        scene.runs_to_end(scene.asks_for("file"))
        return scene.rests()


def moves_half(scene: Scene, *, beside: int) -> tuple[Message, ...]:
    """An entry is moved by a worker that dies between its writes; return so many messages of the prompt that no entry names."""
    scene.runs_to_end(scene.asks_for("file"))
    others = [scene.says(addressed=False) for _ in range(beside)]
    for message in others:
        scene.runs_to_end(scene.pushes(scene.delivers(message)))
    (old,) = (row.path for row in _rows(scene))
    scene.sleeps(1)
    worker = scene.asks_for("move")
    scene.runs_until(worker, f"write entries/{scene.stage.people.conversation_id}/{old}")
    scene.dies(worker)
    return tuple(others)


def unsend_after_half_of_a_move() -> list[str]:
    """A worker dies between the two writes of a move; an unsend takes its other writes away: the entry stands in one place."""
    with Scene(group=True, has_knowledge=True).playing() as scene:
        message, _ = moves_half(scene, beside=2)
        scene.takes_effect(scene.takes_back(message))
        return [*_in_places(scene), *scene.rests()]


def reset_after_half_of_a_move() -> list[str]:
    """A worker dies between the two writes of a move; the conversation is erased, and entries are spared: the entry stands in one place."""
    with Scene(group=True, has_knowledge=True).playing() as scene:
        press = scene.is_asked_about("reset")
        moves_half(scene, beside=4)
        scene.runs_to_end(scene.pushes(scene.delivers_order(press)))
        return [*_in_places(scene), *scene.rests()]


def pause_after_half_of_a_move() -> list[str]:
    """A worker dies between the two writes of a move; the chat is paused before another ends the turn: the entry stands in one place."""
    with Scene(has_knowledge=True).playing() as scene:
        moves_half(scene, beside=0)
        scene.sleeps(MINUTE_S)
        scene.runs_to_end(scene.pushes(scene.delivers_order(scene.commands("pause"))))
        return [*_in_places(scene), *scene.rests()]


def _in_places(scene: Scene) -> list[str]:
    prefix = f"entries/{scene.stage.people.conversation_id}/"
    objects = (
        scene.world.objects.read(one.name)
        for one in scene.world.objects.list(prefix)
        if "/" in one.name.removeprefix(prefix)
    )
    count = sum(stored is not None and tombstone_in(stored.data) is None for stored in objects)
    return [] if count == 1 else [f"I10: an entry that was moved stands in {count} places"]


def classification_after_the_unsend() -> list[str]:
    """The worker sleeps while the model answers. Meanwhile the withdrawal takes effect; then the tool asks for a category."""
    with Scene(has_knowledge=True).playing() as scene:
        message = scene.says(verb="file")
        worker = scene.pushes(scene.delivers(message))
        scene.runs_until(worker, "model")
        scene.runs_past(worker, "list amended/")
        scene.sleeps_in(worker, seconds=LONG_SLEEP_S)
        scene.takes_effect(scene.takes_back(message))
        scene.runs_to_end(worker)
        return scene.rests()


def answer_that_is_shown_an_entry_before_a_late_erasure() -> list[str]:
    """The message of an entry has left the prompts. The chat is left; the event is slow, so a later question is answered with the entry."""
    with Scene(has_knowledge=True, limits=TINY).playing() as scene:
        scene.runs_to_end(scene.asks_for("file"))
        scene.sleeps(MINUTE_S)
        left_s = scene.world.now_s
        scene.stage.mood.manner = "says nothing"
        for _ in range(_UNTIL_IT_IS_ARCHIVED):
            scene.sleeps(5)
            scene.runs_to_end(scene.asks())
        scene.stage.mood.manner = "repeats"
        scene.runs_to_end(scene.asks())
        scene.runs_to_end(scene.bot_leaves(at_s=left_s))
        return scene.rests()


def answer_that_repeats_what_only_the_index_shows() -> list[str]:
    """The message of an entry has left the prompts. The index names the entry, an answer repeats the name, and the message is withdrawn."""
    with Scene(has_knowledge=True, limits=TINY).playing() as scene:
        filed = scene.says(verb="file")
        scene.runs_to_end(scene.pushes(scene.delivers(filed)))
        scene.stage.mood.manner = "says nothing"
        for _ in range(_UNTIL_IT_IS_ARCHIVED):
            scene.sleeps(5)
            scene.runs_to_end(scene.asks())
        scene.stage.mood.manner = "repeats"
        scene.runs_to_end(scene.asks())
        if "word0a" not in scene.said[-1]:
            raise AssertionError("the index does not show the entry")
        scene.takes_effect(scene.takes_back(filed))
        return scene.rests()


def call_that_begins_after_the_erasure() -> list[str]:
    """The chat is left. The event is slow, so a page is made meanwhile for a message from before."""
    with Scene(has_notion=True).playing() as scene:
        page = scene.asks_for("page")
        left_s = scene.world.now_s
        scene.runs_to_end(page)
        scene.sleeps(MINUTE_S)
        scene.runs_to_end(scene.bot_leaves(at_s=left_s))
        return scene.rests()


def undo_after_a_page() -> list[str]:
    """A thought is filed and a page is made; then the member asks for an undo, which takes back neither."""
    with Scene(has_knowledge=True, has_notion=True).playing() as scene:
        for verb in ("file", "page", "undo"):
            scene.runs_to_end(scene.asks_for(verb))
            scene.sleeps(1)
        objects = scene.world.objects
        bodies = [objects.read(listed.name) for listed in objects.list("entries/") if listed.name.endswith(".md")]
        has_entry = any(body is not None and b"word0a" in body.data for body in bodies)
        violations = [] if has_entry else ["I10: an undo took back what was filed before a page was made"]
        return [*violations, *scene.rests()]


def page_for_another_oldest_message() -> list[str]:
    """Two messages are answered together, and a page is made for the second; the worker dies, and the first is withdrawn."""
    with Scene(has_notion=True).playing() as scene:
        first = scene.says()
        scene.runs_until(scene.pushes(scene.delivers(first)), "list journal/")
        worker = scene.asks_for("page")
        scene.runs_past(worker, "Notion create page")
        scene.dies(worker)
        scene.runs_to_end(scene.takes_back(first))
        return scene.rests()


def reply_beside_what_falls_into_the_inbox() -> list[str]:
    """The model replies beside the call that files a thought, and the thought falls into the inbox.  The reply waits for that result."""
    with Scene(has_knowledge=True).playing() as scene:
        scene.stage.mood.replies_beside = 1.0
        violations: list[str] = []
        for _ in range(_SOME_ARE_UNSURE):
            asked = scene.world.truth.model_calls
            scene.runs_to_end(scene.asks_for("file"))
            scene.sleeps(1)
            newest = next(outcome for _, outcome in reversed(scene.world.truth.staged))
            is_unsure = any(write.path.startswith("inbox/") for write in newest.writes)
            if is_unsure and scene.world.truth.model_calls == asked + 1:
                violations.append("I10: an answer did not ask about what fell into the inbox")
        return [*scene.rests(calm=True), *violations]


def reply_beside_a_write_that_fails() -> list[str]:
    """The model replies beside a write. The answer arrives, and the bucket is down until the lease ends; a takeover applies the write."""
    with Scene(has_knowledge=True).playing() as scene:
        scene.stage.mood.replies_beside, scene.stage.mood.names = 1.0, ("lunch",)
        worker = scene.asks_for("file")
        scene.runs_past(worker, "reply")
        scene.is_down("bucket", seconds=40)
        violations = scene.rests()
        once = [] if len(scene.said) == 1 else ["I2: an answer was not sent once"]
        return [*violations, *once, *([] if scene.world.truth.model_calls == 1 else ["I6: the model was asked again"])]


def unsend_between_a_reply_and_its_write() -> list[str]:
    """The model replies beside a write. The message is withdrawn after the answer arrived, before the write is applied."""
    with Scene(has_knowledge=True).playing() as scene:
        scene.stage.mood.replies_beside, scene.stage.mood.names = 1.0, ("lunch",)
        message = scene.says(verb="file")
        worker = scene.pushes(scene.delivers(message))
        scene.runs_past(worker, "reply")
        scene.runs_to_end(scene.takes_back(message))
        scene.runs_to_end(worker)
        kept = scene.keeps()  # before the second pass
        return [*kept, *scene.rests()]
