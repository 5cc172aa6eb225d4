"""What a group has translated, as one record of the chat, and which messages that covers.

    translation/{conversation_id}/setting.json   {"languages": ["ja", "th"], "since_ms": 1763700000000, "by": "member-8c0f…", …}

A message counts by LINE's timestamp alone, so every worker, early or late, decides alike about it.
"""

from dataclasses import field, replace
from typing import Final

from shared.conversation.amendments import Amendments
from shared.conversation.member_mark import mark_id
from shared.conversation.provenance import Provenance, Source
from shared.conversation.records import MessageRecord
from shared.frozen import frozen
from shared.line.ids import mask_ids
from shared.line.readable import readable
from shared.storage.codec import VERSION
from shared.unknown_fields import Extensible

MOST_TERMS: Final = 30
LONGEST_TERM: Final = 40


def term_in(written: str) -> str:
    """Return a word or name as written by members, in one line; "" for none, and for a longer text than a term: a part would keep nothing.

    For example, `term_in("Tanaka Trading (Thailand) Co., Ltd.")` is the whole name.
    """
    term = " ".join(readable(mask_ids(written)).split())
    return term if len(term) <= LONGEST_TERM else ""


@frozen
class Term(Extensible):
    """A word or name that is not translated, and the command that named it."""

    text: str = field(repr=False)
    source: Source


@frozen
class TranslationSetting(Extensible):
    """The languages between which members' messages are translated; none: translation is off.

    `by`: the mark of the member who asked (`member_mark`). Messages of that member count from `since_ms` on, those of everybody else from
    `all_since_ms` on, if another member has confirmed (-1: nobody has). `changed_ms`: LINE's timestamp of the newest press that counts.
    `languages_before`: those between which translation was on until that press ended it.
    """

    version: int = VERSION
    languages: tuple[str, ...] = ()
    by: str = ""
    since_ms: int = -1
    all_since_ms: int = -1
    changed_ms: int = -1
    terms: tuple[Term, ...] = ()
    languages_before: tuple[str, ...] = ()

    @property
    def is_on(self) -> bool:
        """Whether messages are translated."""
        return bool(self.languages)

    @property
    def is_for_all(self) -> bool:
        """Whether a second member has confirmed."""
        return self.is_on and self.all_since_ms >= 0

    @property
    def provenance(self) -> Provenance:
        """The member who asked, and the commands that named the terms."""
        own = Source(line_message_id=f"translation-{self.changed_ms}", timestamp_ms=self.changed_ms, by=self.by)
        return Provenance.of_sources((own, *(term.source for term in self.terms)))

    def covers(self, message: MessageRecord) -> bool:
        """Whether the message is of a member and a time that are translated, and is not for the bot."""
        if not self.is_on or message.addressed or message.type != "text":
            return False
        if self.all_since_ms >= 0 and message.timestamp_ms > self.all_since_ms:
            return True
        return bool(self.by) and mark_id(message.user_id) == self.by and message.timestamp_ms > self.since_ms

    def switched_on(self, languages: tuple[str, ...], *, by: str, at_ms: int, is_for_all: bool) -> "TranslationSetting":
        """Return the setting after a press that switches translation on; a press that is older than another one changes nothing."""
        if at_ms <= self.changed_ms:
            return self
        return replace(
            self,
            languages=languages,
            by=by,
            since_ms=at_ms,
            all_since_ms=at_ms if is_for_all else -1,
            changed_ms=at_ms,
            languages_before=(),
        )

    def joined(self, *, at_ms: int) -> "TranslationSetting":
        """Return the setting after a second member's press; with translation off, and pressed again, nothing changes."""
        if not self.is_on or self.is_for_all or at_ms <= self.changed_ms:
            return self
        return replace(self, all_since_ms=at_ms, changed_ms=at_ms)

    def switched_off(self, *, at_ms: int) -> "TranslationSetting":
        """Return the setting after a press that switches translation off; the terms stay."""
        if at_ms <= self.changed_ms:
            return self
        return TranslationSetting(
            unknown_fields=self.unknown_fields, changed_ms=at_ms, terms=self.terms, languages_before=self.languages
        )

    def without_withdrawn(self, amendments: Amendments) -> "TranslationSetting | None":
        """Return the setting without terms whose command was withdrawn, edited or erased; None where it was erased itself.

        A member who takes everything back is no longer the one who asked: with a second member's confirmation translation goes on,
        else it ends. A term that was named after the erasure stays, also where translation was never begun.
        """
        terms = tuple(term for term in self.terms if not _is_withdrawn(term.source, amendments))
        if self.changed_ms <= amendments.erased_entries_ms and not terms:
            return None
        remaining = self if len(terms) == len(self.terms) else replace(self.redacted(), terms=terms)
        if 0 <= self.changed_ms <= amendments.erased_entries_ms:
            return TranslationSetting(terms=terms)
        if self.by and self.since_ms <= amendments.members.get(self.by, -1):
            forgotten = replace(remaining, by="")
            return forgotten if self.is_for_all else replace(forgotten, languages=(), since_ms=-1)
        return remaining


def _is_withdrawn(source: Source, amendments: Amendments) -> bool:
    is_forgotten = source.timestamp_ms <= amendments.members.get(source.by, -1)
    return is_forgotten or amendments.is_withdrawn_from_entries(source.line_message_id, source.timestamp_ms)
