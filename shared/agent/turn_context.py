"""The context of a turn's tools: the chat, and everything read and done by the turn so far; nothing comes from the model."""

import datetime as dt
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Final

from shared.agent.attachments import Attachments
from shared.agent.forgetting import Forgetting
from shared.agent.grounding import Asked
from shared.agent.handover_offer import HandoverOffer
from shared.agent.model import ModelResponse
from shared.agent.outside_words import OutsideWords, outside_in, outside_in_prompt, repeated_sources, sources_of
from shared.agent.proposals import Proposals
from shared.agent.recalled import Recalled
from shared.agent.receipts import Deed, OutsideDeeds
from shared.agent.retellings import Retelling, retellings_in_prompt, sources_beyond_memory
from shared.agent.staged import Staged
from shared.agent.taint import UntrustedInput
from shared.agent.translation_offer import TranslationOffer
from shared.clock import Deadline, SystemClock
from shared.conversation.provenance import Provenance
from shared.conversation.records import MessageRecord, ProposedCall
from shared.conversation.store import Conversation
from shared.frozen import frozen
from shared.line.language import language_of, shown_language
from shared.search.folding import fold
from shared.turns.question import Question

_NEVER: Final = Deadline(clock=SystemClock(), at_s=math.inf)


@frozen
class TurnContext:
    """The chat and turn of a tool; nothing comes from the model.

    `prompt`: the provenance of the prompt. `deadline`: the end of the executor's wait for a tool. `sequence`: the number of the turn's
    commit. `to_answer`: the messages to answer; `earlier`: the other messages shown or quoted in the prompt. `staged` holds the staged
    writes of this attempt at the turn, `outside` the external calls that had an effect. `untrusted_input`: words shown to the model in
    addition to the chat. `recalled`: records of the chat shown beyond the prompt. `proposals`: the changes that wait for a tap.
    `attachments`: texts of the code below the answer. `forgetting`: the messages proposed for withdrawal. `handover`: whether a person is
    offered. `translation`: what is offered about translation between members. `confirmed`: the proposals that a person's tap confirmed.
    `prepared` waits for the result of the tool's `prepare`, and returns it.
    """

    conversation: Conversation
    prompt: Provenance = field(default_factory=Provenance)
    deadline: Deadline = field(default=_NEVER, compare=False, repr=False)
    sequence: int = 0
    now_ms: int = 0
    to_answer: tuple[MessageRecord, ...] = field(default=(), repr=False)
    earlier: tuple[MessageRecord, ...] = field(default=(), repr=False)
    staged: Staged = field(default_factory=Staged, compare=False, repr=False)
    question: Question | None = field(default=None, repr=False)
    confirmed: tuple[ProposedCall, ...] = field(default=(), repr=False)
    prepared: Callable[[], object] = field(default=lambda: None, compare=False, repr=False)
    outside: OutsideDeeds = field(default_factory=OutsideDeeds, compare=False, repr=False)
    untrusted_input: UntrustedInput = field(default_factory=UntrustedInput, compare=False, repr=False)
    proposals: Proposals = field(default_factory=Proposals, compare=False, repr=False)
    recalled: Recalled = field(default_factory=Recalled, compare=False, repr=False)
    attachments: Attachments = field(default_factory=Attachments, compare=False, repr=False)
    forgetting: Forgetting = field(default_factory=Forgetting, compare=False, repr=False)
    handover: HandoverOffer = field(default_factory=HandoverOffer, compare=False, repr=False)
    translation: TranslationOffer = field(default_factory=TranslationOffer, compare=False, repr=False)

    @property
    def is_overheard(self) -> bool:
        """Whether no message addresses the bot: the turn has `reply`, `skip` and reading tools, and stages nothing."""
        return self.question is not None and self.question.is_overheard

    @property
    def deeds(self) -> tuple[Deed, ...]:
        """The turn's effects so far: staged writes, and external calls."""
        return (*self.staged.deeds, *self.outside.done)

    @property
    def said(self) -> tuple[str, ...]:
        """The words of the messages to answer."""
        return tuple(one.text for one in self.to_answer)

    def locale(self, reply: str = "", *, default: str) -> str:
        """Return the language of the texts that code writes around a reply, for example of its receipt.

        The reply's own words count first, then the words of the people who are answered, then the chat's chosen language.
        """
        return language_of((*self._heard, reply), default=default, chosen=self._chosen_locale)

    @property
    def asker_locale(self) -> str:
        """The language of the people who are answered, else the chat's chosen language; empty: neither is known."""
        return shown_language(self._heard) or self._chosen_locale or ""

    @property
    def _heard(self) -> tuple[str, ...]:
        return self.said if self.question is None else self.question.heard

    @property
    def _chosen_locale(self) -> str | None:
        return None if self.question is None else self.question.chosen_locale

    @property
    def outside_words(self) -> tuple[OutsideWords, ...]:
        """The words from outside shown to the model so far: in the prompt, whichever turn read the words, or by tools.

        In the turn of a person's tap, also the outside words of the proposing answers.
        """
        prompt = outside_in_prompt(self.question.history, self.question.asked) if self.question is not None else ()
        outcomes = self.question.history.outcomes if self.question is not None and self.confirmed else ()
        proposing = (one for one in outcomes if not frozenset(self.confirmed).isdisjoint(one.offer.proposes))
        recalled = outside_in((*self.recalled.shown.records, *proposing))
        filed = self.recalled.provenance.outside | self.staged.provenance.outside
        shown_entries = (OutsideWords(sources=filed, text=self.untrusted_input.filed),) if filed else ()
        return (*prompt, *recalled, *shown_entries, *self.untrusted_input.outside)

    def outside_in(self, texts: Iterable[str]) -> frozenset[str]:
        """Return the sources outside the chat whose words the texts may repeat, as in `Provenance`."""
        shown = self.outside_words
        return repeated_sources(texts, shown=shown, said_texts=self.said) if shown else frozenset()

    def outside_in_write(self, texts: Iterable[str]) -> frozenset[str]:
        """Return the sources whose words the texts may repeat when filed.

        Empty without a person's tap: in a tainted turn, only an order in the author's own words is filed at once.
        """
        return self.outside_in(texts) if self.confirmed else frozenset()

    @property
    def is_tainted(self) -> bool:
        """Whether the model was shown words from outside, for example by yesterday's answer about a page."""
        return bool(self.outside_words)

    @property
    def needs_tap(self) -> bool:
        """Whether a deletion, a replacement or a write to the outside waits for a tap; a confirmed call does not wait."""
        return not self.confirmed and self.is_tainted

    def is_ordered(self, is_grounded: Callable[[Asked], bool], *, zone: dt.tzinfo) -> bool:
        """Whether an addition to the chat's own store may be made at once.

        True if no tap is needed, or if one author orders the addition in own words. Times are read in `zone`, from the time of the author's
        newest message: "tomorrow", sent at 23:59, is the day after.
        """
        if not self.needs_tap:
            return True
        outside = tuple(one.text for one in self.outside_words if one.text)
        typed = [one for one in self.to_answer if one.type == "text" and one.presses is None]
        authors = {one.user_id: [two for two in typed if two.user_id == one.user_id] for one in typed}
        return any(is_grounded(_asked(messages, zone, outside)) for messages in authors.values())

    def confirms(self, tool: str, arguments: Mapping[str, object], revision: str) -> bool:
        """Whether the call's target has the `revision` of every question about the call; True if no person was asked."""
        asked = (one for one in self.confirmed if one.tool == tool and json.loads(one.arguments) == arguments)
        return all(one.revision == revision for one in asked)

    def asker_of(self, words: str) -> MessageRecord | None:
        """Return the asker's newest message; of several people, of the only author of `words`; None: unclear.

        For example, Ann writes 「夕食6000円」 while Ben writes 「タクシー900円」, and both are answered together: 「夕食」 is Ann's.
        """
        folded = fold(words)
        for messages in (self.to_answer, [one for one in self.to_answer if folded and folded in fold(one.text)]):
            if len({message.user_id for message in messages}) == 1:
                return messages[-1]
        return None

    @property
    def asked_ids(self) -> tuple[str, ...]:
        """The ids of the messages to answer, oldest first."""
        return tuple(one.line_message_id for one in self.to_answer)

    @property
    def retellings(self) -> tuple[Retelling, ...]:
        """The recaps and answers of the bot that the model has read; needed only for changes of entries or reminders.

        The archive is read if a retelling was made of a message older than memory. Raises: StorageUnavailableError.
        """
        if self.question is None:
            return ()
        history, asked, recalled = self.question.history, self.question.asked, self.recalled.shown
        beyond_memory = sources_beyond_memory(history, asked, recalled)
        if not beyond_memory.message_ids:
            return retellings_in_prompt(history, asked, recalled)
        archived = self.conversation.archive.read(
            since_ms=beyond_memory.since_ms, until_ms=beyond_memory.until_ms
        ).messages
        return retellings_in_prompt(
            history, asked, recalled, [one for one in archived if one.line_message_id in beyond_memory.message_ids]
        )

    @property
    def read_earlier(self) -> tuple[MessageRecord, ...]:
        """The messages that the model has read so far, in the prompt or by recall, without the messages to answer."""
        by_id = {one.line_message_id: one for one in (*self.recalled.shown.messages, *self.earlier)}
        return tuple(by_id.values())

    @property
    def shown(self) -> Provenance:
        """The provenance of everything that tools have shown or staged so far."""
        return self.recalled.provenance | self.staged.provenance

    @property
    def provenance(self) -> Provenance:
        """The provenance of everything that the model may have read so far, in the prompt or in results of tools."""
        read = self.prompt | self.shown
        return replace(read, outside=sources_of(self.outside_words))

    def close_staging(self) -> None:
        """Stage and propose nothing more: a late tool may still run, and no receipt would state its effects."""
        self.staged.changes()
        self.forgetting.close()

    def check_amendments(self) -> None:
        """Check the amendments before a request to the model.  Raises: PromptAmendedError."""
        if self.question is not None:
            self.question.check_amendments(self.shown)

    def ask(self, request: Callable[[], ModelResponse]) -> ModelResponse:
        """Return the response of a request to the model.  Raises: FollowUpError, if the people who asked write more meanwhile."""
        return request() if self.question is None else self.question.follow_ups.ask(request)

    def begin_act(self) -> None:
        """A tool is about to act outside, so from this moment on no follow-up ends a request."""
        if self.question is not None:
            self.question.follow_ups.begin_act()

    def begin_check(self) -> Callable[[], None]:
        """Begin to check the amendments in parallel with a request to the model; the returned function ends the check.

        Both raise PromptAmendedError.
        """
        if self.question is None:
            return lambda: None
        return self.question.begin_check(self.shown)


def _asked(messages: Sequence[MessageRecord], zone: dt.tzinfo, outside: tuple[str, ...]) -> Asked:
    newest_ms = max(one.timestamp_ms for one in messages)
    now = dt.datetime.fromtimestamp(newest_ms / 1_000, tz=zone).replace(tzinfo=None)
    return Asked(messages=tuple(one.text for one in messages), now=now, outside=outside)
