"""The language model: it repeats every word of its prompt, so that a withdrawn word that reaches it is seen in its answer."""

import re
from dataclasses import dataclass, field
from typing import Final

from greenlet import GreenletExit

from shared.adapters.memory.scripted_model import calling
from shared.agent.model import ModelRequest, ModelResponse, TextContent
from shared.errors import ModelUnavailableError
from tests.simulation.product.people import WORD
from tests.simulation.product.world import World

_MESSAGE: Final = re.compile(r"^\[[^\]|]+ \| \d{4}-\d\d-\d\d \d\d:\d\d\] .*$", re.MULTILINE)
_QUESTION_HEADING: Final = "To be answered:"


@dataclass(slots=True, kw_only=True)
class Mood:
    """How the model behaves.

    `seconds` bounds how long an answer takes; `downs` is how often the model is unavailable, and `skips` how often it chooses `skip`.
    A question that holds a word of `poison` kills the process that asks.
    """

    seconds: tuple[float, float] = (1.0, 4.0)
    downs: float = 0.0
    skips: float = 0.0
    poison: frozenset[str] = field(default_factory=frozenset)


class Mind:
    """A `Model` that also checks each prompt for withdrawn and outdated words."""

    name = "mind"

    def __init__(self, world: World, mood: Mood) -> None:
        self._world = world
        self._mood = mood

    def generate(self, request: ModelRequest) -> ModelResponse:
        world, mood = self._world, self._mood
        prompt = "\n".join(text for one in request.contents if isinstance(one, TextContent) for text in one.texts)
        is_recap = request.declarations[0].name == "write_recap"
        world.truth.model_calls += not is_recap
        for word in world.truth.forgotten:
            if word in prompt:
                world.truth.report("I4: a prompt that started after the withdrawal was handled held withdrawn words")
        amendments_listed_s = world.truth.amendments_listed_s[world.scheduler.current().request]
        shown = "\n".join(_MESSAGE.findall(prompt))
        if any(word in shown and edited_s < amendments_listed_s for word, edited_s in world.truth.outdated_s.items()):
            world.truth.report("I4: a prompt held the text from before an edit that had been handled")
        seconds = world.rng.uniform(*mood.seconds)
        if not mood.poison.isdisjoint(WORD.findall(prompt.rpartition(_QUESTION_HEADING)[2])):
            world.scheduler.give_way("model, poisoned", seconds)
            world.scheduler.kill(world.scheduler.current().process)
            raise GreenletExit
        world.scheduler.give_way("model", min(seconds, request.timeout_s))
        if seconds > request.timeout_s or world.rng.random() < mood.downs:
            raise ModelUnavailableError("no answer")
        words = " ".join(dict.fromkeys(WORD.findall(prompt)))
        if is_recap:
            return calling(("write_recap", {"text": words or "nothing"}))
        if world.rng.random() < mood.skips:
            return calling(("skip", {"reason": "nothing to say"}))
        return calling(("reply", {"message": f"re: {words}"}))
