"""Provenance: whose words a prompt, an answer or a recap may hold.  A withdrawal decides by it whether the words have to go.

It names only what stood in the prompt itself: messages, earlier answers and recaps, each by its own id. What an answer in the prompt had
seen is not inherited; words that the answer passed on are found by comparing texts, when it loses its own.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Final

from shared.unknown_fields import Extensible

if TYPE_CHECKING:  # amendments know records, which have a provenance
    from shared.conversation.amendments import Amendments

LATEST_MS: Final = 2**53
"""Later than any timestamp: the start of an interval that holds nothing."""


WEB: Final = "web"
NOTION: Final = "notion"
MEDIA: Final = "media"
"""Pictures, voices and videos."""
FILE: Final = "file"

IsWithdrawn = Callable[[str, int], bool]
"""Whether no entry may hold what a message, by its id, said at a timestamp of LINE's: it was withdrawn, erased or replaced by an edit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source(Extensible):
    """A message that something came from.  `timestamp_ms` is LINE's, of the message or of the edit that brought the words.

    `by` is the mark of its sender (`member_mark`), because the entry may outlive the message; empty if unknown.
    """

    line_message_id: str
    timestamp_ms: int
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance(Extensible):
    """What something was made of; stored with everything that holds words of people or of the model.

    `messages` are by the marks of their authors (`member_mark`; "" for an unknown one) and their ids, each with LINE's timestamp of its
    oldest words: `{"member-8c0f...": {"5123": 1763700000000}}`. `derived_ids` are the answers and recaps, by their own ids. All of it was
    written between `since_ms` and `until_ms`, by LINE's timestamp, except filed entries, because a reset spares them: of the entries that
    may have been shown, nothing is from before `entries_since_ms`. `outside`: the sources outside the chat, such as WEB, whose words may
    stand in it. The default names nothing.
    """

    messages: Mapping[str, Mapping[str, int]] = field(default_factory=dict, hash=False)
    derived_ids: frozenset[str] = frozenset()
    since_ms: int = LATEST_MS
    until_ms: int = -1
    entries_since_ms: int = LATEST_MS
    outside: frozenset[str] = frozenset()

    @classmethod
    def of_sources(cls, sources: Iterable[Source]) -> "Provenance":
        """Return the provenance that names these messages, each once."""
        return cls(messages=_by_author(sources))

    @classmethod
    def union(cls, parts: Iterable["Provenance"]) -> "Provenance":
        """Return the provenance of something that was made of all these."""
        united = tuple(parts)
        return cls(
            messages=_by_author(chain.from_iterable(_sources_in(one.messages) for one in united)),
            derived_ids=frozenset(chain.from_iterable(one.derived_ids for one in united)),
            since_ms=min((one.since_ms for one in united), default=LATEST_MS),
            until_ms=max((one.until_ms for one in united), default=-1),
            entries_since_ms=min((one.entries_since_ms for one in united), default=LATEST_MS),
            outside=frozenset(chain.from_iterable(one.outside for one in united)),
        )

    def by_authors(self, marks: AbstractSet[str]) -> "Provenance":
        """Return the provenance without the messages of other people than these."""
        return replace(self, messages={by: messages for by, messages in self.messages.items() if by in marks})

    def withdrawn_ids(self, is_withdrawn: IsWithdrawn) -> frozenset[str]:
        """Return those of the messages whose words are withdrawn."""
        named_messages = chain.from_iterable(messages.items() for messages in self.messages.values())
        return frozenset(own_id for own_id, timestamp_ms in named_messages if is_withdrawn(own_id, timestamp_ms))

    def __or__(self, other: "Provenance") -> "Provenance":
        return Provenance.union((self, other))

    @property
    def sources(self) -> tuple[Source, ...]:
        """The messages, the oldest words first."""
        return tuple(
            sorted(_sources_in(self.messages), key=lambda source: (source.timestamp_ms, source.line_message_id))
        )

    @property
    def message_ids(self) -> frozenset[str]:
        """The messages, by their ids."""
        return frozenset(chain.from_iterable(self.messages.values()))

    @property
    def ids(self) -> frozenset[str]:
        """All that it names: messages, answers and recaps."""
        return self.message_ids | self.derived_ids

    def without(self, ids: AbstractSet[str]) -> "Provenance":
        """Return the provenance that does not name these; the interval stays."""
        return self._naming(lambda own_id: own_id not in ids)

    def only(self, ids: AbstractSet[str]) -> "Provenance":
        """Return the provenance that names nothing but these; the interval stays."""
        return self._naming(lambda own_id: own_id in ids)

    def _naming(self, is_named: Callable[[str], bool]) -> "Provenance":
        selected = {
            by: {own_id: timestamp_ms for own_id, timestamp_ms in messages.items() if is_named(own_id)}
            for by, messages in self.messages.items()
        }
        return replace(
            self,
            messages={by: messages for by, messages in selected.items() if messages},
            derived_ids=frozenset(filter(is_named, self.derived_ids)),
        )

    def is_affected_by(self, amendments: "Amendments") -> bool:
        """Whether a message of it was withdrawn, or anything of it erased."""
        return self.is_erased_by(amendments) or not amendments.withdrawn.isdisjoint(self.ids)

    def is_erased_by(self, amendments: "Amendments") -> bool:
        """Whether anything of it was erased, or an entry that it may hold."""
        return self.since_ms <= amendments.erased_ms or self.entries_since_ms <= amendments.erased_entries_ms

    def is_redacted_by(self, amendments: "Amendments", own_id: str) -> bool:
        """Whether the answer or recap with this provenance has to lose its words.

        It has to if something of it was withdrawn or erased, or if a plan redacts it. It also has to if its prompt held an answer
        that a plan redacts and the two were not compared, because it was under way at that time.
        """
        if own_id in amendments.redacted or self.is_affected_by(amendments):
            return True
        return any(own_id not in amendments.redacted[one] for one in amendments.redacted.keys() & self.ids)

    def is_affected_since(self, before: "Amendments", now: "Amendments") -> bool:
        """Whether a message of it was withdrawn, erased or edited between two looks, or an answer or recap of it lost its words.

        Filed entries may be older than the interval, so an erasure of entries always counts. Authors are not known here, so a member who
        takes back everything always counts, too.
        """
        if self.since_ms <= now.erased_ms and now.erased_ms > before.erased_ms:
            return True
        if now.erased_entries_ms > before.erased_entries_ms or now.members != before.members:
            return True
        removed_ids = (now.withdrawn - before.withdrawn) | (now.redacted.keys() - before.redacted.keys())
        if not removed_ids.isdisjoint(self.ids):
            return True
        return any(
            now.edited_ms[edited_id] > before.edited_ms.get(edited_id, -1)
            for edited_id in now.edited_ms.keys() & self.ids
        )


def _sources_in(messages: Mapping[str, Mapping[str, int]]) -> Iterator[Source]:
    for by, sent in messages.items():
        for own_id, timestamp_ms in sent.items():
            yield Source(line_message_id=own_id, timestamp_ms=timestamp_ms, by=by)


def _by_author(sources: Iterable[Source]) -> Mapping[str, Mapping[str, int]]:
    """Return each message once: with its oldest words, and under its author where one of the sources tells that."""
    sources_by_id: dict[str, Source] = {}
    for source in sources:
        before = sources_by_id.setdefault(source.line_message_id, source)
        timestamp_ms, by = min(before.timestamp_ms, source.timestamp_ms), max(before.by, source.by)
        if (timestamp_ms, by) != (before.timestamp_ms, before.by):
            sources_by_id[source.line_message_id] = replace(before, timestamp_ms=timestamp_ms, by=by)
    messages: dict[str, dict[str, int]] = {}
    for source in sources_by_id.values():
        messages.setdefault(source.by, {})[source.line_message_id] = source.timestamp_ms
    return messages
