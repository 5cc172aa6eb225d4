"""Scenes of what the model's provider refuses: a blocked word, a broken picture, a first model that fails."""

from collections.abc import Callable
from typing import Final

from shared.line.phrases import Phrase, phrase
from tests.simulation.mind import Mind
from tests.simulation.people import GROUP, MEMBERS
from tests.simulation.scene import MINUTE_S, Scene

_PARTLY_REFUSED: Final = phrase(Phrase.PARTLY_REFUSED, locale="en", bot_name="")
_BETWEEN_TURNS_S: Final = 2.0
_BETWEEN_VISITS_S: Final = 3_600.0


def _answers(scene: Scene, count: int) -> list[str]:
    """Let a member ask so many things, a minute apart; return a violation for each that is not answered."""
    found: list[str] = []
    for _ in range(count):
        scene.sleeps(MINUTE_S)
        message = scene.says()
        scene.runs_to_end(scene.pushes(scene.delivers(message)))
        word = message.words[0][0]
        found += [] if word in " ".join(scene.said) else [f"I6: {word} was refused for the words of another message"]
    return found


def _shown_again(scene: Scene) -> list[str]:
    return ["I6: what the model had refused was shown again"] if scene.world.truth.refused > 1 else []


def blocked_word_that_was_overheard() -> list[str]:
    """The model blocks a word that a member said to others. Another member asks four innocent things."""
    with Scene(group=True).playing() as scene:
        scene.stage.mood.blocked = frozenset({"word0a"})
        scene.runs_to_end(scene.pushes(scene.delivers(scene.says(addressed=False))))
        found = _answers(scene, 4) + _shown_again(scene)
        return found + scene.rests()


def question_beside_a_blocked_one() -> list[str]:
    """Two members ask at once, and the model blocks the word of one of them."""
    with Scene(group=True).playing() as scene:
        scene.stage.mood.blocked = frozenset({"word0a"})
        first = scene.pushes(scene.delivers(scene.says()))
        scene.runs_until(first, "list journal/")
        scene.dies(first)
        scene.runs_to_end(scene.asks())
        answered = "word1a" in " ".join(scene.said)
        return [*([] if answered else ["I6: word1a was refused for the words of another message"]), *scene.rests()]


def blocked_question_beside_one_that_the_model_skips() -> list[str]:
    """Two members ask at once. The model blocks the word of one of them, and says nothing to the other."""
    with Scene(group=True).playing() as scene:
        told = _asked_beside_a_blocked_question(scene)
        return [*_not_refused(told), *scene.rests(calm=True)]


def balance_beside_a_blocked_question() -> list[str]:
    """The same; the other asks who owes what, and the model looks it up before it chooses to say nothing."""
    with Scene(group=True, has_expenses=True).playing() as scene:
        scene.runs_to_end(scene.asks_for("pay"))
        scene.sleeps(_BETWEEN_TURNS_S)
        told = _asked_beside_a_blocked_question(scene, "owe")
        return [*_not_refused(told), *scene.rests(calm=True)]


def poll_beside_a_blocked_question() -> list[str]:
    """The same; the other asks for a poll, which the model may not open in silence."""
    with Scene(group=True, has_polls=True).playing() as scene:
        told = _asked_beside_a_blocked_question(scene, "poll")
        is_told = len(told) == 1 and _PARTLY_REFUSED in told[0]
        has_card = any(said.votes for said in scene.world.truth.said)
        found = [] if is_told and has_card else ["I6: a poll beside a blocked question was opened without its card"]
        return [*found, *scene.rests(calm=True)]


def _asked_beside_a_blocked_question(scene: Scene, verb: str = "") -> list[str]:
    """Two members ask at once, the first with words that are blocked; the model is silent where it may be. Return what is said to them."""
    before = len(scene.said)
    blocked = scene.says()
    scene.stage.mood.blocked, scene.stage.mood.skips = frozenset({blocked.words[0][0]}), 1.0
    first = scene.pushes(scene.delivers(blocked))
    scene.runs_until(first, "list journal/")
    scene.dies(first)
    scene.runs_to_end(scene.asks_for(verb) if verb else scene.asks())
    return scene.said[before:]


def _not_refused(told: list[str]) -> list[str]:
    is_told = told == [phrase(Phrase.APOLOGY_REFUSED, locale="en", bot_name="")]
    return [] if is_told else ["I6: a member whose question was blocked met silence"]


def catch_up_beside_a_blocked_word() -> list[str]:
    """A member says a blocked word, another member something else, and the first one asks by /catchup: what was missed is told."""
    with Scene(group=True).playing() as scene:
        told = " ".join(_caught_up(scene, blocked=0))
        found = (
            [] if "word1a" in told else ["I6: what was missed was not told, because of the words of another message"]
        )
        return [*found, *scene.rests(calm=True)]


def catch_up_of_a_blocked_word() -> list[str]:
    """The same; the blocked word is what the member has missed: the model is asked without it, and answers."""
    with Scene(group=True).playing() as scene:
        is_refused = phrase(Phrase.APOLOGY_REFUSED, locale="en", bot_name="") in _caught_up(scene, blocked=2)
        found = ["I6: /catchup was refused for the words of another message"] if is_refused else []
        return [*found, *scene.rests(calm=True)]


def _caught_up(scene: Scene, *, blocked: int) -> list[str]:
    """A member says two words and goes, and another says one. The first asks what was missed; return what the bot says."""
    asking, other = MEMBERS[:2]
    scene.stage.mood.blocked = frozenset({f"word{blocked}a"})
    for member in (asking, asking, other):
        scene.runs_to_end(scene.pushes(scene.delivers(scene.says(addressed=False, by=member))))
        scene.sleeps(_BETWEEN_VISITS_S)
    message = scene.stage.people.catch_up(at_s=scene.world.now_s, by=asking)
    scene.runs_to_end(scene.pushes(scene.delivers(message)))
    return scene.said


def broken_picture_that_is_asked_about() -> list[str]:
    """The model answers 400 to a picture. Its sender asks two things within five minutes."""
    with Scene(seed=1).playing() as scene:
        scene.stage.mood.broken = frozenset({"word0a"})
        picture = scene.stage.people.image(at_s=scene.world.now_s)
        scene.runs_to_end(scene.pushes(scene.delivers(picture)))
        found = _answers(scene, 2) + _shown_again(scene)
        return found + scene.rests()


def broken_picture_beside_a_blocked_word() -> list[str]:
    """A member asks about a picture that the model answers 400 to, and the model blocks a word that was overheard."""
    with Scene(group=True).playing() as scene:
        scene.stage.mood.blocked, scene.stage.mood.broken = frozenset({"word0a"}), frozenset({"word1a"})
        scene.runs_to_end(scene.pushes(scene.delivers(scene.says(addressed=False))))
        picture = scene.sends_image()
        scene.runs_to_end(scene.pushes(scene.delivers(picture)))
        scene.sleeps(MINUTE_S)
        question = scene.says(quotes=picture.id)
        scene.runs_to_end(scene.pushes(scene.delivers(question)))
        is_answered = question.words[0][0] in " ".join(scene.said)
        return [*([] if is_answered else ["I6: word2a was refused for the words of another message"]), *scene.rests()]


def first_model_that_is_used_up() -> list[str]:
    """The first model asks for a pause of half a minute, and the second one is well."""
    with Scene(first_fails="used up").playing() as scene:
        scene.runs_to_end(scene.asks())
        return scene.rests(calm=True)


def unsend_of_a_blocked_message() -> list[str]:
    """A message that was marked as blocked is withdrawn."""
    with Scene(group=True).playing() as scene:
        scene.stage.mood.blocked = frozenset({"word0a"})
        blocked = scene.says(addressed=False)
        scene.runs_to_end(scene.pushes(scene.delivers(blocked)))
        found = _answers(scene, 1)
        scene.takes_effect(scene.takes_back(blocked))
        stored = scene.world.objects.read(f"snapshots/{GROUP}.json")
        is_marked = stored is not None and b'"refused":[{' in stored.data.replace(b" ", b"")
        return [*found, *(["I4: the mark of a withdrawn message is kept"] if is_marked else []), *scene.rests()]


def unsend_before_a_blocked_message_is_marked() -> list[str]:
    """A worker has found the blocked message, and sleeps before it marks the message, which is withdrawn meanwhile."""
    with Scene(group=True).playing() as scene:
        scene.stage.mood.blocked = frozenset({"word0a"})
        blocked = scene.says(addressed=False)
        scene.runs_to_end(scene.pushes(scene.delivers(blocked)))
        worker = scene.asks()
        scene.runs_until(worker, "write snapshots/")
        scene.takes_effect(scene.takes_back(blocked))
        scene.runs_to_end(worker)
        stored = scene.world.objects.read(f"snapshots/{GROUP}.json")
        is_marked = stored is not None and b'"refused":[{' in stored.data.replace(b" ", b"")
        return [*(["I4: the mark of a withdrawn message is kept"] if is_marked else []), *scene.rests()]


def edit_of_a_blocked_message() -> list[str]:
    """A message that was marked as blocked is edited into innocent words; then somebody asks."""
    with Scene(group=True).playing() as scene:
        scene.stage.mood.blocked = frozenset({"word0a"})
        blocked = scene.says(addressed=False)
        scene.runs_to_end(scene.pushes(scene.delivers(blocked)))
        found = _answers(scene, 1)
        scene.sleeps(1)
        scene.runs_to_end(scene.edits(blocked))
        found += _answers(scene, 1)
        is_shown = "word0b" in " ".join(scene.said)
        return [*found, *([] if is_shown else ["I6: the new words of a blocked message are left out"]), *scene.rests()]


def edit_of_a_question_about_a_blocked_message(
    *, edits_quoted: bool = False, make_mind: Callable[..., Mind] = Mind
) -> list[str]:
    """The model blocks a word that a member said to others. A question quotes it and is edited; an innocent one is answered with it.

    The question is left out with what it quotes, and the answer says so. `edits_quoted`: the message that it quotes is edited into innocent
    words while that answer is about to be committed, so nothing is left out any more.
    """
    with Scene(group=True, make_mind=make_mind).playing() as scene:
        scene.stage.mood.blocked = frozenset({"word0a"})
        blocked = scene.says(addressed=False)
        scene.runs_to_end(scene.pushes(scene.delivers(blocked)))
        quoting = scene.says(quotes=blocked.id)
        first = scene.pushes(scene.delivers(quoting))
        scene.runs_until(first, "list journal/")
        scene.dies(first)
        scene.sleeps(1)
        scene.runs_to_end(scene.edits(quoting))
        worker = scene.asks()
        if edits_quoted:
            scene.runs_until(worker, "write turns/", times=2)
            scene.runs_to_end(scene.edits(blocked))
        scene.runs_to_end(worker)
        said = " ".join(scene.said)
        expected = ("word1b", "word2a") if edits_quoted else ("word2a", _PARTLY_REFUSED)
        found = [f"I6: the answer does not say: {words}" for words in expected if words not in said]
        return [*found, *scene.rests()]
