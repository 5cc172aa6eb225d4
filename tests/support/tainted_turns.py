"""The share of tainted turns over ten conversations of 30 turns with pictures and pages: `python -m tests.support.tainted_turns`."""

import io
import random
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from typing import Any, Final

from shared import logs
from shared.adapters.memory.line_people import HeldContent
from shared.adapters.memory.scripted_model import Step, calling
from shared.agent.model import Json
from shared.agent.tools import Tool
from shared.agent.turn_context import TurnContext
from tests.support.people import Person
from tests.support.pushed import PushedWorker
from tests.support.tainted_chat import READER, READS, writes_up

CONVERSATIONS: Final = 10
TURNS: Final = 30
CHATTER: Final = 4  # messages of members among themselves after each turn of a group
KINDS: Final = {"talk": 26, "page": 2, "picture": 2}
"""How often a turn is about what, in thirty."""
_ANYTHING: Final[Json] = {"type": "object", "properties": {"query": {"type": "string"}}}
_PROBES: Final = calling(("probe", {"query": "x"}))


class ProbedChat:
    """A chat each of whose turns tells whether it is tainted."""

    def __init__(self, pool: ThreadPoolExecutor, *, is_in_group: bool = False, **options: Any) -> None:  # noqa: ANN401
        self.tainted: list[bool] = []
        probe = Tool(
            name="probe", description="", parameters=_ANYTHING, response=_ANYTHING, run=self._probe, is_reading=True
        )
        self.person = Person(PushedWorker(pool, [probe, READER], **options), is_in_group=is_in_group)

    def _probe(self, _: Json, context: TurnContext) -> Json:
        self.tainted.append(context.is_tainted)
        return {}

    def talks(self) -> None:
        number = len(self.tainted)
        self.person.asks(f"what about {number:b}?", *self._steps(number))

    def reads_a_page(self) -> None:
        self.person.asks("what does the page say?", READS, *self._steps(len(self.tainted)))

    def sends_a_picture(self) -> None:
        events = self.person.events
        picture = events.event("message", message={"type": "image", "contentProvider": {"type": "line"}})
        held = HeldContent(data=b"\xff\xd8 x", content_type="image/jpeg")
        self.person.worker.media.contents[picture["message"]["id"]] = held
        self.person.sends(picture, *(repeat(writes_up, 4) if events.is_group else self._steps(len(self.tainted))))
        if events.is_group:
            self.talks()

    def chats(self) -> None:
        """Let the members write among themselves."""
        for number in range(CHATTER):
            self.person.says(f"and {number:b}", *repeat(writes_up, 4))

    def _steps(self, number: int) -> Iterator[Step]:
        yield _PROBES
        yield calling(("reply", {"message": f"{number:b}"}))
        yield from repeat(writes_up, 4)


def tainted_turns(pool: ThreadPoolExecutor, seed: int) -> tuple[int, int]:
    """Return how many turns of a conversation read something from outside or show a picture, and how many are tainted."""
    chance = random.Random(seed)
    kinds = chance.choices(tuple(KINDS), weights=tuple(KINDS.values()), k=TURNS)
    chat = ProbedChat(pool, is_in_group=seed % 2 == 1)
    acts = {"talk": chat.talks, "page": chat.reads_a_page, "picture": chat.sends_a_picture}
    for kind in kinds:
        acts[kind]()
        if chat.person.events.is_group:
            chat.chats()
    return TURNS - kinds.count("talk"), sum(chat.tainted)


def main() -> None:
    logs.configure(io.StringIO())
    total = 0
    with ThreadPoolExecutor(64) as pool:
        for seed in range(CONVERSATIONS):
            outside, tainted = tainted_turns(pool, seed)
            total += tainted
            where = "group" if seed % 2 else "1:1"
            sys.stdout.write(f"{where}: {outside} turns with a page or picture, {tainted} of {TURNS} tainted\n")
    sys.stdout.write(f"{total / CONVERSATIONS / TURNS:.0%} of all turns\n")


if __name__ == "__main__":
    main()
