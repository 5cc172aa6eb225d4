"""Where everything about a chat lies in the bucket.  Kinds stand at the top, so that lifecycle rules can name them.

Every id is checked here before it becomes part of a name: nothing that people, models or senders say can point anywhere else.
"""

import unicodedata
from typing import Final

from shared.errors import UnusableIdError
from shared.line.ids import checked_conversation_id, checked_id

OUTCOME_SUFFIX: Final = ".outcome.json"
CALL_RESULT_SUFFIX: Final = ".result.json"
ENTRY_CATEGORIES: Final = ("people", "projects", "ideas", "admin", "inbox")
ENTRY_SUFFIX: Final = ".md"
ENTRY_FILES: Final = frozenset({"index.md", "search.json", "undo.json"})
"""What lies beside the categories: made from the entries, or for them."""
_SUFFIX: Final = ".json"
_SLUG_LIMIT: Final = 80


def journal_prefix(conversation_id: str) -> str:
    """Messages as received, and what turns did about them."""
    return f"journal/{checked_conversation_id(conversation_id)}/"


def message_name(conversation_id: str, line_message_id: str) -> str:
    """A message as received."""
    return f"{journal_prefix(conversation_id)}{checked_id(line_message_id)}{_SUFFIX}"


def outcome_name(conversation_id: str, webhook_event_id: str) -> str:
    """What a turn did."""
    return f"{journal_prefix(conversation_id)}{checked_id(webhook_event_id)}{OUTCOME_SUFFIX}"


def amended_prefix(conversation_id: str) -> str:
    """What became of messages after they were sent."""
    return f"amended/{checked_conversation_id(conversation_id)}/"


def amended_name(conversation_id: str, line_message_id: str) -> str:
    """What became of one message after it was sent."""
    return f"{amended_prefix(conversation_id)}{checked_id(line_message_id)}{_SUFFIX}"


def turn_name(conversation_id: str) -> str:
    """The turn's state machine."""
    return f"turns/{checked_conversation_id(conversation_id)}{_SUFFIX}"


def erased_name(conversation_id: str) -> str:
    """The watermark."""
    return f"erased/{checked_conversation_id(conversation_id)}{_SUFFIX}"


def snapshot_name(conversation_id: str) -> str:
    """Older messages, outcomes and recaps."""
    return f"snapshots/{checked_conversation_id(conversation_id)}{_SUFFIX}"


def calls_prefix(conversation_id: str) -> str:
    """Writes to the outside world."""
    return f"calls/{checked_conversation_id(conversation_id)}/"


def call_name(conversation_id: str, key: str) -> str:
    """What was to be written."""
    return f"{calls_prefix(conversation_id)}{checked_id(key)}{_SUFFIX}"


def call_result_name(conversation_id: str, key: str) -> str:
    """What came of it."""
    return f"{calls_prefix(conversation_id)}{checked_id(key)}{CALL_RESULT_SUFFIX}"


def entries_prefix(conversation_id: str) -> str:
    """What was filed in the chat."""
    return f"entries/{checked_conversation_id(conversation_id)}/"


def entry_name(conversation_id: str, path: str) -> str:
    """An entry, such as `projects/garden.md`, or one of ENTRY_FILES.  Raises: UnusableIdError."""
    if path not in ENTRY_FILES and not is_entry_path(path):
        raise UnusableIdError("no path of an entry")
    return f"{entries_prefix(conversation_id)}{path}"


def is_entry_path(path: str) -> bool:
    """Whether this is `{category}/{slug}.md`, the slug of letters and digits of any script and hyphens, in NFKC."""
    category, slash, file = path.partition("/")
    slug = file.removesuffix(ENTRY_SUFFIX)
    return category in ENTRY_CATEGORIES and bool(slash) and slug != file and is_slug(slug)


def is_slug(slug: str) -> bool:
    """Whether this can stand in an object's name: nothing in it is a separator, a dot, a control or a space."""
    return (
        0 < len(slug) <= _SLUG_LIMIT
        and all(character == "-" or unicodedata.category(character)[0] in "LMN" for character in slug)
        and unicodedata.is_normalized("NFKC", slug)
    )


def media_prefix(conversation_id: str) -> str:
    """What people showed."""
    return f"media/{checked_conversation_id(conversation_id)}/"


def medium_name(conversation_id: str, line_message_id: str) -> str:
    """The bytes of one image, voice, video or file."""
    return f"{media_prefix(conversation_id)}{checked_id(line_message_id)}"


def medium_label_name(conversation_id: str, line_message_id: str) -> str:
    """When it was sent, and what it is."""
    return f"{medium_name(conversation_id, line_message_id)}{_SUFFIX}"
