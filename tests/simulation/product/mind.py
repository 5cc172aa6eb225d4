"""The language model: it repeats every word of its prompt, so that what was withdrawn has every chance to survive."""

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
_ASKED: Final = "To be answered:"


@dataclass(slots=True, kw_only=True)
class Mood:
    """How long an answer takes, how often there is none, and which words kill whoever thinks about them."""

    seconds: tuple[float, float] = (1.0, 4.0)
    downs: float = 0.0
    skips: float = 0.0
    poison: frozenset[str] = field(default_factory=frozenset)


class Mind:
    """A Model."""

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
                world.truth.breaks("I4: a prompt that started after the withdrawal was handled held withdrawn words")
        looked_s = world.truth.looked_s[world.scheduler.current().request]
        shown = "\n".join(_MESSAGE.findall(prompt))
        if any(word in shown and edited_s < looked_s for word, edited_s in world.truth.outdated_s.items()):
            world.truth.breaks("I4: a prompt held the text from before an edit that had been handled")
        seconds = world.rng.uniform(*mood.seconds)
        if not mood.poison.isdisjoint(WORD.findall(prompt.rpartition(_ASKED)[2])):
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
