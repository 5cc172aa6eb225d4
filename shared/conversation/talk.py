"""Talking in the chats of one bucket, put together once: everything between a message that was read and words that were said."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from shared.background import Background
from shared.clock import Clock
from shared.conversation.announcing import Announcing
from shared.conversation.answering import Answering
from shared.conversation.memory import Memory
from shared.conversation.speaking import Messenger, Speaker
from shared.conversation.turn_taking import TurnTaking
from shared.line.lateness import LateReply
from shared.line.phrases import Phrase


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """How chats are answered, and how fixed words are said in them."""

    memory: Memory
    answering: Answering = field(repr=False)
    announcing: Announcing = field(repr=False)

    @classmethod
    def on(  # noqa: PLR0913 - everything that time, chance and the outside bring in
        cls,
        memory: Memory,
        *,
        line: Messenger,
        clock: Clock,
        chance: random.Random,
        background: Background,
        phrase: Callable[[Phrase], str],
        late_reply: LateReply,
    ) -> "Talk":
        """Return talk on a memory; `background` runs what goes on beside a turn, one thread for every turn that thinks."""
        speaker = Speaker(
            journal=memory.journal, line=line, clock=clock, late_reply=late_reply, phrase=phrase, filed=memory.filed
        )
        taking = TurnTaking(reader=memory.reader, turns=memory.turns, speaker=speaker, clock=clock, chance=chance)
        return cls(
            memory=memory,
            answering=Answering(
                journal=memory.journal,
                turns=memory.turns,
                taking=taking,
                speaker=speaker,
                background=background,
                clock=clock,
                phrase=phrase,
            ),
            announcing=Announcing(turns=memory.turns, taking=taking),
        )
