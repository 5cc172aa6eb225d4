"""A chat's calendar as two records: the address that opens it, and the feed that is shown at the address.

    calendars/U0123…/calendar.json   {"token": "c4f1…", "made_ms": 1763700000000}
    feeds/9f3a….json                 {"items": [{"uid": "…@aizuchi", "summary": "pills", "starts": "2026-11-27T09:00", …}]}

A feed's name is a digest of its token, so functions/feeds, which may read `feeds/` and nothing else, finds a feed without knowing its chat,
and no listing of the bucket opens a feed.
"""

import hashlib
import re
from dataclasses import field, replace
from typing import Final

from shared.conversation.provenance import IsWithdrawn, Provenance
from shared.frozen import frozen
from shared.storage.codec import VERSION
from shared.unknown_fields import Extensible

FEED_PREFIX: Final = "feeds/"
FEED_SUFFIX: Final = ".ics"
"""The end of an address, by which programs know the type."""
MOST_ITEMS: Final = 400
SUMMARY_LIMIT: Final = 300
_TOKEN: Final = re.compile(r"c[0-9a-f]{40}", re.ASCII)
_TOKEN_IN_BYTES: Final = re.compile(rb"\bc[0-9a-f]{40}\b")


@frozen
class Calendar(Extensible):
    """calendars/{conversation_id}/calendar.json.

    `token` opens the feed. `made_ms`: LINE's timestamp of the command that made the calendar. `event_id` and `token_ms`: the event that
    gave the token, with LINE's timestamp, so that neither a redelivery nor an older event gives another token. `locale`: the language
    chosen for the chat at that time. `retired`: the names of feeds of earlier tokens, until they are deleted. `untold_id`: the event of a
    leaving of which the chat may not have been told; empty: none.
    """

    version: int = VERSION
    token: str = field(repr=False)
    made_ms: int
    event_id: str
    token_ms: int = 0
    locale: str = ""
    retired: tuple[str, ...] = ()
    untold_id: str = ""

    def has_token_since(self, event_id: str, *, at_ms: int) -> bool:
        """Whether the token was given by this event, or by a later event."""
        return self.event_id == event_id or max(self.token_ms, self.made_ms) > at_ms

    @property
    def feed_name(self) -> str:
        """The name of the feed's object."""
        return feed_name(self.token)


@frozen
class FeedItem(Extensible):
    """An event of a calendar.

    `starts` is local in `zone`, for example `2026-11-27T09:00`; a day alone, such as `2026-11-27`, is an event of the whole day without a
    zone. `rule` is an RRULE with UNTIL in UTC; empty: once. `sequence` grows with every change of the event's record. `stamped_ms`:
    LINE's timestamp of the newest message behind it. `details` is shown below the summary, `place` as the place of a meeting.
    """

    uid: str
    sequence: int
    stamped_ms: int
    summary: str = field(repr=False)
    details: str = field(default="", repr=False)
    place: str = field(default="", repr=False)
    starts: str
    zone: str = ""
    rule: str = ""
    provenance: Provenance = field(default_factory=Provenance)


@frozen
class Feed(Extensible):
    """feeds/{digest of the token}.json: what calendar programs are shown, under the calendar's name.

    `is_being_written`: a tick has begun to collect the items anew, and would lose its swap to any other write.
    """

    version: int = VERSION
    name: str = ""
    items: tuple[FeedItem, ...] = field(default=(), repr=False)
    is_being_written: bool = False

    def without(self, is_withdrawn: IsWithdrawn) -> "Feed":
        """Return the feed without the items that have a withdrawn, erased or edited message behind them; unchanged if there are none."""
        items = tuple(item for item in self.items if not item.provenance.has_withdrawn(is_withdrawn))
        return self if len(items) == len(self.items) else replace(self, items=items)


def is_token(text: str) -> bool:
    """Whether the text can be the token of a feed: `c` and forty hexadecimal digits."""
    return _TOKEN.fullmatch(text) is not None


def token_of(*ids: str) -> str:
    """Return a token made of ids that nobody can guess, such as two random UUIDs."""
    return f"c{hashlib.sha256(' '.join(ids).encode()).hexdigest()[:40]}"


def tokens_in(data: bytes) -> tuple[str, ...]:
    """Return what look like tokens in the bytes of a record that cannot be read."""
    return tuple(match.decode() for match in _TOKEN_IN_BYTES.findall(data))


def feed_name(token: str) -> str:
    """Return the name of the object of a token's feed."""
    return f"{FEED_PREFIX}{hashlib.sha256(token.encode()).hexdigest()}.json"


def uid_of(conversation_id: str, kind: str, own_id: str) -> str:
    """Return the id of an event for calendar programs: the same for the life of its record, whatever the token; names no chat."""
    return f"{hashlib.sha256(f'{conversation_id} {kind} {own_id}'.encode()).hexdigest()[:32]}@aizuchi"
