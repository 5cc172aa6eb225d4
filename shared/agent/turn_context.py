"""The context of a turn's tools: its chat, and what the turn has read and done so far; none of it comes from the model."""

import datetime as dt
import itertools
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from shared.agent.forgetting import Forgetting
from shared.agent.grounding import Asked
from shared.agent.outside_words import OutsideWords, outside_in, outside_in_prompt, repeated_sources, sources_of
from shared.agent.proposals import Proposals
from shared.agent.recalled import Recalled
from shared.agent.receipts import Deed, OutsideDeeds
from shared.agent.retellings import Retelling, retellings_in_prompt, sources_beyond_memory
from shared.agent.taint import Readings
from shared.clock import Deadline, SystemClock
from shared.conversation.provenance import Provenance
from shared.conversation.records import MessageRecord, ProposedCall, StagedWrite
from shared.conversation.store import Conversation
from shared.turns.question import Question

_NEVER: Final = Deadline(clock=SystemClock(), at_s=math.inf)


class EntryPlacement(Protocol):
    """The path that an entry was filed at or moved to, and the confidence of its classification."""

    @property
    def path(self) -> str:
        """The path below `entries/{conversation_id}/`."""
        ...

    @property
    def confidence(self) -> float:
        """The confidence, from 0 to 1."""
        ...


class StagedEntries(Protocol):
    """The entries that a turn read and its staged writes; the knowledge toolset uses the full implementation."""

    @property
    def placement(self) -> EntryPlacement | None:
        """The last placement of this turn."""
        ...

    @property
    def provenance(self) -> Provenance:
        """The provenance of every entry that the model read or changed."""
        ...

    def mark_shown(self, provenance: Provenance) -> None:
        """The model is shown something of this provenance."""
        ...

    @property
    def filed_paths(self) -> tuple[str, ...]:
        """The paths of the entries that this turn filed or moved."""
        ...

    @property
    def deeds(self) -> tuple[Deed, ...]:
        """What the staged writes do, against what is in the bucket."""
        ...

    def changes(self) -> tuple[StagedWrite, ...]:
        """Return the staged writes, to be applied after the commit; no write is staged after this call."""
        ...


class StagedReminders(Protocol):
    """The reminders that a turn read and its staged writes; the toolset of reminders uses the full implementation."""

    @property
    def deeds(self) -> tuple[Deed, ...]:
        """What the staged writes do, against what is in the bucket."""
        ...

    @property
    def provenance(self) -> Provenance:
        """The provenance of every reminder that the model read or changed."""
        ...

    def changes(self, *, first_number: int) -> tuple[StagedWrite, ...]:
        """Return the staged writes, whose first is the write of this number of the outcome; no write is staged after this call."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnContext:
    """The chat and turn that a tool works for; none of it comes from the model.

    `prompt`: the provenance of its prompt. The executor waits for a tool until `deadline`. `sequence`: the number of the turn's commit.
    `to_answer`: the messages that the turn answers; `earlier`: the others that its prompt shows or quotes. `entries` and `reminders` hold
    the staged writes of this attempt at the turn, `outside` its confirmed external calls. `readings`: what the model was shown beside the
    chat. `recalled`: what it was shown of the chat beyond the prompt. `proposals`: the changes that wait for a tap. `forgetting`: the
    messages that the turn proposes to withdraw. `confirmed`: the proposals that a person's tap has the turn carry out.
    """

    conversation: Conversation
    prompt: Provenance = field(default_factory=Provenance)
    deadline: Deadline = field(default=_NEVER, compare=False, repr=False)
    sequence: int = 0
    now_ms: int = 0
    to_answer: tuple[MessageRecord, ...] = field(default=(), repr=False)
    earlier: tuple[MessageRecord, ...] = field(default=(), repr=False)
    entries: StagedEntries | None = field(default=None, repr=False)
    reminders: StagedReminders | None = field(default=None, repr=False)
    question: Question | None = field(default=None, repr=False)
    confirmed: tuple[ProposedCall, ...] = field(default=(), repr=False)
    outside: OutsideDeeds = field(default_factory=OutsideDeeds, compare=False, repr=False)
    readings: Readings = field(default_factory=Readings, compare=False, repr=False)
    proposals: Proposals = field(default_factory=Proposals, compare=False, repr=False)
    recalled: Recalled = field(default_factory=Recalled, compare=False, repr=False)
    forgetting: Forgetting = field(default_factory=Forgetting, compare=False, repr=False)

    @property
    def is_overheard(self) -> bool:
        """Whether no message addresses the bot: the turn has `reply`, `skip` and reading tools, and stages nothing."""
        return self.question is not None and self.question.is_overheard

    @property
    def deeds(self) -> tuple[Deed, ...]:
        """What the turn has done so far: to entries, to reminders, and by external calls."""
        staged = (one.deeds for one in (self.entries, self.reminders) if one is not None)
        return (*itertools.chain.from_iterable(staged), *self.outside.done)

    @property
    def said(self) -> tuple[str, ...]:
        """The words of the messages that the turn answers."""
        return tuple(one.text for one in self.to_answer)

    @property
    def outside_words(self) -> tuple[OutsideWords, ...]:
        """The words from outside that the model was shown by now: in the prompt, whichever turn read them, or by tools.

        In the turn of a person's tap, also those of what was proposed.
        """
        prompt = outside_in_prompt(self.question.history, self.question.asked) if self.question is not None else ()
        outcomes = self.question.history.outcomes if self.question is not None and self.confirmed else ()
        proposing = (one for one in outcomes if not frozenset(self.confirmed).isdisjoint(one.offer.proposes))
        recalled = outside_in((*self.recalled.shown.records, *proposing))
        staged = (one.provenance.outside for one in (self.entries, self.reminders) if one is not None)
        filed = self.recalled.provenance.outside.union(*staged)
        shown_entries = (OutsideWords(sources=filed, text=self.readings.kept),) if filed else ()
        return (*prompt, *recalled, *shown_entries, *self.readings.outside)

    def outside_in(self, texts: Iterable[str]) -> frozenset[str]:
        """Return the sources outside the chat of which these texts may repeat words, as in `Provenance`."""
        shown = self.outside_words
        return repeated_sources(texts, shown=shown, said=self.said) if shown else frozenset()

    def outside_in_write(self, texts: Iterable[str]) -> frozenset[str]:
        """Return the sources of which these texts may repeat words, when they are filed.

        Without a person's tap only what an author orders in own words is filed in a tainted turn, so it repeats none.
        """
        return self.outside_in(texts) if self.confirmed else frozenset()

    @property
    def is_tainted(self) -> bool:
        """Whether the model was shown words from outside, for example by an answer of yesterday about a page."""
        return bool(self.outside_words)

    @property
    def needs_tap(self) -> bool:
        """Whether a deletion, a replacement or a write to the outside waits for a tap; what a person's tap decided does not."""
        return not self.confirmed and self.is_tainted

    def is_ordered(self, is_grounded: Callable[[Asked], bool], *, zone: dt.tzinfo) -> bool:
        """Whether something that adds to the chat's own store may be done at once.

        It may where no tap is needed, or one author orders it in own words. Times are read in `zone`, from the time of the message.
        """
        if not self.needs_tap:
            return True
        outside = tuple(one.text for one in self.outside_words if one.text)
        typed = [one for one in self.to_answer if one.type == "text" and one.presses is None]
        authors = {one.user_id: [two for two in typed if two.user_id == one.user_id] for one in typed}
        return any(is_grounded(_asked(messages, zone, outside)) for messages in authors.values())

    def confirms(self, tool: str, arguments: Mapping[str, object], revision: str) -> bool:
        """Whether no person was asked about this call while what it changes was in another state."""
        asked = (one for one in self.confirmed if one.tool == tool and json.loads(one.arguments) == arguments)
        return all(one.revision == revision for one in asked)

    @property
    def asked_ids(self) -> tuple[str, ...]:
        """The messages that the turn answers, oldest first."""
        return tuple(one.line_message_id for one in self.to_answer)

    @property
    def retellings(self) -> tuple[Retelling, ...]:
        """The recaps and answers of the bot that the model has read; needed only where entries or reminders are changed.

        The archive is read if one of them was made of something older than memory. Raises: StorageUnavailableError.
        """
        if self.question is None:
            return ()
        history, asked, recalled = self.question.history, self.question.asked, self.recalled.shown
        wanted = sources_beyond_memory(history, asked, recalled)
        if not wanted.ids:
            return retellings_in_prompt(history, asked, recalled)
        archived = self.conversation.archive.read(since_ms=wanted.since_ms, until_ms=wanted.until_ms).messages
        return retellings_in_prompt(
            history, asked, recalled, [one for one in archived if one.line_message_id in wanted.ids]
        )

    @property
    def read_earlier(self) -> tuple[MessageRecord, ...]:
        """The messages besides those to answer that the model has read by now, in the prompt or because it looked them up."""
        known = {one.line_message_id: one for one in (*self.recalled.shown.messages, *self.earlier)}
        return tuple(known.values())

    @property
    def shown(self) -> Provenance:
        """The provenance of what tools have shown or staged by now."""
        staged = (one.provenance for one in (self.entries, self.reminders) if one is not None)
        return Provenance.union((self.recalled.provenance, *staged))

    @property
    def provenance(self) -> Provenance:
        """The provenance of all that the model may have read by now, in the prompt or in what tools returned."""
        read = self.prompt | self.shown
        return replace(read, outside=sources_of(self.outside_words))

    def close_staging(self) -> None:
        """Stage nothing more: a tool that took too long may still run, and no receipt would tell what it stages from now on."""
        if self.entries is not None:
            self.entries.changes()
        if self.reminders is not None:
            self.reminders.changes(first_number=0)

    def check_amendments(self) -> None:
        """Check the amendments before a request to the model.  Raises: PromptAmendedError."""
        if self.question is not None:
            self.question.check_amendments(self.shown)

    def begin_check(self) -> Callable[[], None]:
        """Begin to check the amendments beside a request to the model; the function that is returned ends it.

        Both raise PromptAmendedError.
        """
        if self.question is None:
            return lambda: None
        return self.question.begin_check(self.shown)


def _asked(messages: Sequence[MessageRecord], zone: dt.tzinfo, outside: tuple[str, ...]) -> Asked:
    newest_ms = max(one.timestamp_ms for one in messages)
    now = dt.datetime.fromtimestamp(newest_ms / 1_000, tz=zone).replace(tzinfo=None)
    return Asked(messages=tuple(one.text for one in messages), now=now, outside=outside)
