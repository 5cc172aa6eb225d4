"""Provenance: the sources of the words in a prompt, an answer or a recap.  A withdrawal decides by them which words have to go.

Only the contents of the prompt itself are named: messages, earlier answers and recaps, each by its own id. The sources of an answer in the
prompt are not inherited; words passed on by the answer are found by comparing texts, once the answer is redacted.

For example, an answer whose prompt held message 450 and answer e1 names 450 and e1, but not the messages in e1's prompt.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import field, replace
from itertools import chain
from typing import TYPE_CHECKING, Final

from shared.frozen import frozen
from shared.unknown_fields import Extensible

if TYPE_CHECKING:  # amendments know records, which have a provenance
    from shared.conversation.amendments import Amendments

LATEST_MS: Final = 2**53
"""Later than any timestamp: the start of an empty interval."""


WEB: Final = "web"
NOTION: Final = "notion"
MEDIA: Final = "media"
"""Pictures, voices and videos."""
FILE: Final = "file"
HOOK: Final = "hook"
"""Notices that other systems sent to a hook."""

IsWithdrawn = Callable[[str, int], bool]
"""Whether no entry may hold the words of a message id at a timestamp of LINE's: withdrawn, erased or replaced by an edit."""


@frozen
class Source(Extensible):
    """A message as a source.  `timestamp_ms` is LINE's, of the message or of the edit that brought the words.

    `by` is the mark of the sender (`member_mark`), because the entry may outlive the message; empty if unknown.
    """

    line_message_id: str
    timestamp_ms: int
    by: str = ""


@frozen
class Provenance(Extensible):
    """The sources of a record; stored with everything that holds words of people or of the model.

    `messages` are by the marks of their authors (`member_mark`; "" for an unknown author) and their ids, each with LINE's timestamp of its
    oldest words: `{"member-8c0f...": {"5123": 1763700000000}}`. `derived_ids` are the answers and recaps, by their own ids. Everything was
    written between `since_ms` and `until_ms`, by LINE's timestamp, except filed entries, because a reset spares them: no entry in the
    prompt is from before `entries_since_ms`. `outside`: sources outside the chat, such as WEB, whose words the record may hold. The default
    names nothing.
    """

    messages: Mapping[str, Mapping[str, int]] = field(default_factory=dict, hash=False)
    derived_ids: frozenset[str] = frozenset()
    since_ms: int = LATEST_MS
    until_ms: int = -1
    entries_since_ms: int = LATEST_MS
    outside: frozenset[str] = frozenset()

    @classmethod
    def of_sources(cls, sources: Iterable[Source]) -> "Provenance":
        """Return the provenance with the messages, each once.

        For example, message 450 by an unknown author at 1,000 ms gives `messages` of `{"": {"450": 1000}}`.
        """
        return cls(messages=_by_author((one.line_message_id, (one.timestamp_ms, one.by)) for one in sources))

    @classmethod
    def union(cls, parts: Iterable["Provenance"]) -> "Provenance":
        """Return the provenance of a record made from all the parts."""
        united = tuple(parts)
        return cls(
            messages=_by_author(chain.from_iterable(_named_in(one.messages) for one in united)),
            derived_ids=frozenset().union(*(one.derived_ids for one in united)),
            since_ms=min((one.since_ms for one in united), default=LATEST_MS),
            until_ms=max((one.until_ms for one in united), default=-1),
            entries_since_ms=min((one.entries_since_ms for one in united), default=LATEST_MS),
            outside=frozenset().union(*(one.outside for one in united)),
        )

    def by_authors(self, marks: AbstractSet[str]) -> "Provenance":
        """Return the provenance with only the messages of the given authors."""
        return replace(self, messages={by: messages for by, messages in self.messages.items() if by in marks})

    def withdrawn_ids(self, is_withdrawn: IsWithdrawn) -> frozenset[str]:
        """Return the ids of the messages with withdrawn words."""
        return frozenset(
            own_id
            for messages in self.messages.values()
            for own_id, timestamp_ms in messages.items()
            if is_withdrawn(own_id, timestamp_ms)
        )

    def has_withdrawn(self, is_withdrawn: IsWithdrawn) -> bool:
        """Whether a message has withdrawn words."""
        for messages in self.messages.values():
            for own_id, timestamp_ms in messages.items():
                if is_withdrawn(own_id, timestamp_ms):
                    return True
        return False

    def __or__(self, other: "Provenance") -> "Provenance":
        return Provenance.union((self, other))

    @property
    def sources(self) -> tuple[Source, ...]:
        """The messages, the oldest words first."""
        named = sorted(_named_in(self.messages), key=lambda message: (message[1][0], message[0]))
        return tuple(
            Source(line_message_id=own_id, timestamp_ms=timestamp_ms, by=by) for own_id, (timestamp_ms, by) in named
        )

    @property
    def message_ids(self) -> frozenset[str]:
        """The messages, by their ids."""
        return frozenset(chain.from_iterable(self.messages.values()))

    @property
    def ids(self) -> frozenset[str]:
        """All ids: messages, answers and recaps.  A press and its answer share an id: what is decided by a name asks for one of the two."""
        return self.message_ids | self.derived_ids

    def names_any_message(self, ids: AbstractSet[str]) -> bool:
        """Whether any of the messages is named."""
        return not all(messages.keys().isdisjoint(ids) for messages in self.messages.values())

    def names_removed(self, withdrawn: AbstractSet[str], redacted: AbstractSet[str]) -> bool:
        """Whether any of the withdrawn messages is named, or any of the redacted answers and recaps."""
        return self.names_any_message(withdrawn) or not self.derived_ids.isdisjoint(redacted)

    def without_messages(self, ids: AbstractSet[str]) -> "Provenance":
        """Return the provenance without the messages; the interval stays."""
        if not self.names_any_message(ids):
            return self
        return replace(self.only_messages(self.message_ids - ids), derived_ids=self.derived_ids)

    def without_derived(self, ids: AbstractSet[str]) -> "Provenance":
        """Return the provenance without the answers and recaps; the interval stays."""
        return replace(self, derived_ids=self.derived_ids - ids)

    def only_messages(self, ids: AbstractSet[str]) -> "Provenance":
        """Return the provenance that names only those of the messages, and no answer or recap; the interval stays."""
        selected = {
            by: {own_id: timestamp_ms for own_id, timestamp_ms in messages.items() if own_id in ids}
            for by, messages in self.messages.items()
        }
        return replace(
            self,
            messages={by: messages for by, messages in selected.items() if messages},
            derived_ids=frozenset(),
        )

    def spared_by(self, amendments: "Amendments") -> "Provenance":
        """Return the provenance of a text whose words earlier erasures have spared, such as a hook's name: only a later one takes it."""
        return replace(self, since_ms=amendments.erased_ms + 1)

    def in_entries_spared_by(self, amendments: "Amendments") -> "Provenance":
        """Return the provenance of a text whose words stand in entries that earlier erasures of entries have spared."""
        return replace(self, entries_since_ms=amendments.erased_entries_ms + 1)

    def is_affected_by(self, amendments: "Amendments") -> bool:
        """Whether a message was withdrawn, or taken back with everything of its author's, or anything erased."""
        return (
            self.is_erased_by(amendments)
            or self.names_any_message(amendments.withdrawn)
            or self.is_forgotten_by(amendments)
        )

    def is_forgotten_by(self, amendments: "Amendments") -> bool:
        """Whether the author of a message took back everything up to the message, which is withdrawn only after that.

        Until then no reader shows the message, so a prompt with a record made from it would not name it. For example, an answer names
        message 450 of 11:59, and its author sends `/forget me` at 12:00: the answer is forgotten.
        """
        return any(
            timestamp_ms <= amendments.members[by]
            for by in amendments.members.keys() & self.messages.keys()
            for timestamp_ms in self.messages[by].values()
        )

    def is_erased_by(self, amendments: "Amendments") -> bool:
        """Whether anything in the interval was erased, or an entry possibly in the prompt."""
        return self.since_ms <= amendments.erased_ms or self.entries_since_ms <= amendments.erased_entries_ms

    def is_redacted_by(self, amendments: "Amendments", own_id: str) -> bool:
        """Whether the answer or recap with this provenance has to lose its words.

        True if a source was withdrawn or erased, or if a plan redacts the record. Also true if the prompt held an answer redacted by a plan
        without a comparison of the two, because the record was under way at the time.
        """
        if own_id in amendments.redacted or self.is_affected_by(amendments):
            return True
        redacted = amendments.redacted
        return any(own_id not in redacted[one] for one in self.derived_ids & redacted.keys())

    def is_affected_since(self, before: "Amendments", now: "Amendments") -> bool:
        """Whether a message was withdrawn, erased or edited between two looks, or an answer or recap lost its words.

        Filed entries may be older than the interval, so an erasure of entries always counts. Authors are unknown here, so a member who
        takes back everything always counts, too.
        """
        if self.since_ms <= now.erased_ms and now.erased_ms > before.erased_ms:
            return True
        if now.erased_entries_ms > before.erased_entries_ms or now.members != before.members:
            return True
        if self.names_removed(now.withdrawn - before.withdrawn, now.redacted.keys() - before.redacted.keys()):
            return True
        return any(
            now.edited_ms[edited_id] > before.edited_ms.get(edited_id, -1)
            for edited_id in now.edited_ms.keys() & self.message_ids
        )


def _named_in(messages: Mapping[str, Mapping[str, int]]) -> Iterator[tuple[str, tuple[int, str]]]:
    """Yield each message as its id, with the timestamp of its oldest words, and the mark of its author."""
    for by, sent in messages.items():
        for own_id, timestamp_ms in sent.items():
            yield own_id, (timestamp_ms, by)


def _by_author(named: Iterable[tuple[str, tuple[int, str]]]) -> Mapping[str, Mapping[str, int]]:
    """Return each message once: with its oldest words, and under its author where the author is known."""
    known: dict[str, tuple[int, str]] = {}
    for own_id, words in named:
        before = known.setdefault(own_id, words)
        if before != words:
            known[own_id] = min(before[0], words[0]), max(before[1], words[1])
    messages: dict[str, dict[str, int]] = {}
    for own_id, (timestamp_ms, by) in known.items():
        messages.setdefault(by, {})[own_id] = timestamp_ms
    return messages
