"""The names of all objects of a chat.  Each name begins with the object's kind, so that lifecycle rules can name the kind.

Every id is checked before it becomes part of a name: no text of people, models or senders can name another object. For example,
`ObjectNames("U0123…").message("5931")` is `journal/U0123…/5931.json`, and `message("../5931")` raises UnusableIdError.
"""

import re
import unicodedata
from dataclasses import dataclass, field
from typing import Final

from shared.errors import UnusableIdError
from shared.frozen import frozen
from shared.line.ids import checked_conversation_id, checked_id
from shared.storage.segment_name import SegmentName

OUTCOME_SUFFIX: Final = ".outcome.json"
CALL_RESULT_SUFFIX: Final = ".result.json"
ENTRY_CATEGORIES: Final = ("people", "projects", "ideas", "admin", "details", "inbox", "items")
ENTRY_SUFFIX: Final = ".md"
ENTRY_FILES: Final = frozenset({"index.md", "search.json", "undo.json"})
"""Objects next to the categories; all are derived from the entries."""
ADMITTED_PREFIX: Final = "admitted/"
SILENCES_PREFIX: Final = "silences/"
INVITATION_PREFIX: Final = "invitations/"
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_AMENDMENT_KIND: Final = re.compile(r"[a-z]{1,16}")
_SUFFIX: Final = ".json"
_MS_DIGITS: Final = 15
_SLUG_LIMIT: Final = 80


@frozen
class AmendedName:
    """The parts of an amendment event's name: time of writing by the writer's clock, kind, id, and a digest of the bytes."""

    written_ms: int
    kind: str
    id: str
    digest: str


@dataclass(frozen=True, slots=True)
class ObjectNames:
    """The names of one chat's objects.  Every method raises UnusableIdError for an id or a path with forbidden characters."""

    conversation_id: str = field(repr=False)

    def __post_init__(self) -> None:
        """Raises: UnusableIdError."""
        checked_conversation_id(self.conversation_id)

    @property
    def journal_prefix(self) -> str:
        """Messages as received, and their outcomes."""
        return f"journal/{self.conversation_id}/"

    def message(self, line_message_id: str) -> str:
        """A message as received."""
        return f"{self.journal_prefix}{checked_id(line_message_id)}{_SUFFIX}"

    def message_id_in(self, name: str) -> str:
        """Return the message id in the name of a journalled message."""
        return name.removeprefix(self.journal_prefix).removesuffix(_SUFFIX)

    def outcome(self, webhook_event_id: str) -> str:
        """The outcome of a turn, for example `journal/U0123…/01KA….outcome.json`."""
        return f"{self.journal_prefix}{checked_id(webhook_event_id)}{OUTCOME_SUFFIX}"

    def outcome_id_in(self, name: str) -> str:
        """Return the event id in the name of an outcome."""
        return name.removeprefix(self.journal_prefix).removesuffix(OUTCOME_SUFFIX)

    @property
    def amended_prefix(self) -> str:
        """Edits, withdrawals and erasures."""
        return f"amended/{self.conversation_id}/"

    def amended(self, name: "AmendedName") -> str:
        """One amendment event, for example `amended/U0123…/001795510800000.withdrawal.5931.0f3a….json`."""
        if _AMENDMENT_KIND.fullmatch(name.kind) is None:
            raise UnusableIdError("no kind of an amendment")
        return f"{self.amended_since(name.written_ms)}.{name.kind}.{checked_id(name.id)}.{checked_id(name.digest)}{_SUFFIX}"

    def amended_since(self, written_ms: int) -> str:
        """The least name of an event written at this time or later; the fold sorts after it."""
        return f"{self.amended_prefix}{written_ms:0{_MS_DIGITS}d}"

    def amended_name_in(self, name: str) -> "AmendedName":
        """Return the parts of an event's name.  Raises: UnusableIdError, for any other name."""
        try:
            written_ms, kind, an_id, digest = name.removeprefix(self.amended_prefix).removesuffix(_SUFFIX).split(".")
            parsed = AmendedName(written_ms=int(written_ms), kind=kind, id=an_id, digest=digest)
        except ValueError as cause:
            raise UnusableIdError("no name of an amendment") from cause
        if self.amended(parsed) != name:
            raise UnusableIdError("no name of an amendment")
        return parsed

    @property
    def amended_fold(self) -> str:
        """The events older than an hour, folded into one object."""
        return f"{self.amended_prefix}~fold{_SUFFIX}"  # sorts after every event

    @property
    def edited_prefix(self) -> str:
        """The newest words of edited messages."""
        return f"edited/{self.conversation_id}/"

    def edited(self, line_message_id: str) -> str:
        """The newest words of one edited or withdrawn message."""
        return f"{self.edited_prefix}{checked_id(line_message_id)}{_SUFFIX}"

    def edited_id_in(self, name: str) -> str:
        """Return the message of an object of edited words."""
        return name.removeprefix(self.edited_prefix).removesuffix(_SUFFIX)

    @property
    def turn(self) -> str:
        """The turn's state machine."""
        return f"turns/{self.conversation_id}{_SUFFIX}"

    @property
    def watermark(self) -> str:
        """The watermark of the last erasure."""
        return f"erased/{self.conversation_id}{_SUFFIX}"

    @property
    def admission(self) -> str:
        """The admission of the chat."""
        return f"{ADMITTED_PREFIX}{self.conversation_id}{_SUFFIX}"

    @property
    def silences(self) -> str:
        """When the bot was told to be silent."""
        return f"{SILENCES_PREFIX}{self.conversation_id}{_SUFFIX}"

    @property
    def snapshot(self) -> str:
        """Older messages, outcomes and recaps."""
        return f"snapshots/{self.conversation_id}{_SUFFIX}"

    @property
    def members(self) -> str:
        """When members joined a group."""
        return f"members/{self.conversation_id}{_SUFFIX}"

    @property
    def archive_prefix(self) -> str:
        """Messages and answers outside of the snapshot."""
        return f"archive/{self.conversation_id}/"

    def segment(self, name: SegmentName) -> str:
        """One segment of the archive."""
        return f"{self.archive_prefix}{name.file}"

    @property
    def calls_prefix(self) -> str:
        """External calls: their intents and results."""
        return f"calls/{self.conversation_id}/"

    def call(self, key: str) -> str:
        """The intent of an external call."""
        return f"{self.calls_prefix}{checked_id(key)}{_SUFFIX}"

    def call_result(self, key: str) -> str:
        """The result of an external call."""
        return f"{self.calls_prefix}{checked_id(key)}{CALL_RESULT_SUFFIX}"

    @property
    def entries_prefix(self) -> str:
        """The chat's entries and the files derived from them."""
        return f"entries/{self.conversation_id}/"

    def entry(self, path: str) -> str:
        """An entry, such as `projects/garden.md`, or one of ENTRY_FILES."""
        if path not in ENTRY_FILES and not is_entry_path(path):
            raise UnusableIdError("no path of an entry")
        return f"{self.entries_prefix}{path}"

    @property
    def reminders_prefix(self) -> str:
        """Reminders."""
        return f"reminders/{self.conversation_id}/"

    def reminder(self, reminder_id: str) -> str:
        """One reminder."""
        return f"{self.reminders_prefix}{checked_id(reminder_id)}{_SUFFIX}"

    @property
    def media_prefix(self) -> str:
        """Images, voices, videos and files."""
        return f"media/{self.conversation_id}/"

    def medium(self, line_message_id: str) -> str:
        """The bytes of one image, voice, video or file."""
        return f"{self.media_prefix}{checked_id(line_message_id)}"

    def medium_label(self, line_message_id: str) -> str:
        """The label of the bytes: type and size."""
        return f"{self.medium(line_message_id)}{_SUFFIX}"


def admitted_id_in(name: str) -> str:
    """Return the conversation id in the name of an admission."""
    return checked_conversation_id(name.removeprefix(ADMITTED_PREFIX).removesuffix(_SUFFIX))


def turn_id_in(name: str) -> str:
    """Return the conversation id in the name of a turn."""
    return checked_conversation_id(name.removeprefix("turns/").removesuffix(_SUFFIX))


def silenced_id_in(name: str) -> str:
    """Return the conversation id in the name of a chat's silences."""
    return checked_conversation_id(name.removeprefix(SILENCES_PREFIX).removesuffix(_SUFFIX))


def invitation_name(digest: str) -> str:
    """The invitation whose code has this digest."""
    return f"{INVITATION_PREFIX}{checked_id(digest)}{_SUFFIX}"


def usage_prefix(day: str) -> str:
    """The usage of all instances on a day: `usage_prefix("2026-11-22") == "usage/2026-11-22/"`.  Raises: UnusableIdError."""
    if _DAY.fullmatch(day) is None:
        raise UnusableIdError("no day")
    return f"usage/{day}/"


def usage_name(day: str, instance: str) -> str:
    """The usage of one instance on a day."""
    return f"{usage_prefix(day)}{checked_id(instance)}{_SUFFIX}"


def is_entry_path(path: str) -> bool:
    """Whether the path is `{category}/{slug}.md`, for example `projects/garden.md`.

    A slug consists of letters and digits of any script and hyphens, in NFKC.
    """
    category, slash, file = path.partition("/")
    slug = file.removesuffix(ENTRY_SUFFIX)
    return category in ENTRY_CATEGORIES and bool(slash) and slug != file and is_slug(slug)


def is_slug(slug: str) -> bool:
    """Whether the slug can stand in an object's name: `庭-2026` can; separators, dots, controls and spaces cannot."""
    return (
        0 < len(slug) <= _SLUG_LIMIT
        and all(character == "-" or unicodedata.category(character)[0] in "LMN" for character in slug)
        and unicodedata.is_normalized("NFKC", slug)
    )
