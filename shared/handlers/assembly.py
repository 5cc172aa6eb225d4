"""Talking in the chats of one bucket, put together once: everything between a message that was read and words that were said."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from shared.clock import Clock
from shared.conversation.store import Memory
from shared.line.phrases import Phrase
from shared.turns.announcement import Announcing
from shared.turns.background import Background
from shared.turns.late_reply import LateReply
from shared.turns.outbox import Messenger, Speaker
from shared.turns.reply import Answering
from shared.turns.runner import TurnTaking


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
