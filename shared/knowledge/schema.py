"""The seven categories of entries, and the fields of each category with valid values and defaults."""

import datetime as dt
import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Final, Literal

from shared.frozen import frozen
from shared.line.graphemes import cut
from shared.line.utf16 import without_lone_surrogates

TEXT_LIMIT: Final = 5_000  # as long as a message of LINE
LINE_LIMIT: Final = 300
LIST_LIMIT: Final = 20
_SPACES: Final = re.compile(r"\s+")
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufeff\ufffe\uffff\u2028\u2029]")

LIST: Final = "list"
"""The field of an item that names its shared list."""
DONE: Final = "done"
"""The status of what has been done, in categories whose entries can be done."""
_STATUS_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    DONE: (
        "完了",
        "完了済み",
        "済み",
        "済",
        "完成",
        "已完成",
        "完成了",
        "เสร็จ",
        "เสร็จแล้ว",
        "completed",
        "complete",
        "finished",
    ),
    "pending": ("未完了", "未着手", "todo", "to do", "open", "未完成", "待辦", "ยังไม่เสร็จ", "ยังไม่ได้ทำ"),
    "active": ("進行中", "in progress", "กำลังทำ"),
    "waiting": ("待ち", "返事待ち", "保留中", "等待中", "等待", "รอ"),
    "blocked": ("停滞中", "停滞", "受阻", "ติดขัด"),
    "someday": ("いつか", "改天", "ไว้ทีหลัง"),
}
_CHOICE_OF: Final = {word: choice for choice, words in _STATUS_WORDS.items() for word in (choice, *words)}
"""The choices by the words of a status in the bot's languages: 完了 is `done`."""

Value = str | tuple[str, ...] | None


class Category(StrEnum):
    """The folder of an entry."""

    PEOPLE = "people"
    PROJECTS = "projects"
    IDEAS = "ideas"
    ADMIN = "admin"
    DETAILS = "details"
    INBOX = "inbox"
    ITEMS = "items"
    """Items of shared lists: only the tools for lists file into it."""


class InvalidValueError(ValueError):
    """A value refused by a field; the text is a plain sentence for the model."""


@frozen
class Field:
    """A field of the front matter: a `line`, several lines (`text`), a list of `names`, a `date`, or a `choice`.

    `holds_words`: people's words may stand in the field, so a withdrawal of a message behind the field empties the field.
    """

    name: str
    kind: Literal["line", "text", "names", "date", "choice"] = "line"
    choices: tuple[str, ...] = ()
    default: Value = ""

    @property
    def holds_words(self) -> bool:
        """Whether people's words may stand in the field."""
        return self.kind != "choice"

    def check(self, value: object) -> Value:
        """Return the value in stored form: for example, `2026-12-24T09:00` in a date field is `2026-12-24`.  Raises: InvalidValueError."""
        if value is None:
            return self.default
        match self.kind:
            case "names":
                return self._names(value)
            case "date":
                return self._date(value)
            case "choice":
                choice = _CHOICE_OF.get(one_line(str(value)).casefold(), str(value))
                if choice not in self.choices:
                    raise InvalidValueError(f"{self.name} must be one of: {', '.join(self.choices)}")
                return choice
            case "line" | "text":
                if not isinstance(value, str):
                    raise InvalidValueError(f"{self.name} must be a text")
                return one_line(value) if self.kind == "line" else plain_text(value)

    def _names(self, value: object) -> tuple[str, ...]:
        if not isinstance(value, list | tuple) or not all(isinstance(one, str) for one in value):
            raise InvalidValueError(f"{self.name} must be a list of texts")
        if len(value) > LIST_LIMIT:
            raise InvalidValueError(f"{self.name} takes at most {LIST_LIMIT} items")
        return tuple(line for line in (one_line(one) for one in value) if line)

    def _date(self, value: object) -> str | None:
        if value == "":
            return None
        try:
            return dt.date.fromisoformat(str(value)[:10]).isoformat()
        except ValueError:
            raise InvalidValueError(f"{self.name} must be a date such as 2026-12-24") from None


def one_line(text: str, *, limit: int = LINE_LIMIT) -> str:
    """Return the text in one line, at most `limit` UTF-16 units, cut between graphemes: `one_line(" call  Sato ")` is "call Sato"."""
    return cut(_SPACES.sub(" ", _CONTROLS.sub(" ", without_lone_surrogates(text))).strip(), limit_utf16=limit)


def is_cut(field: Field, value: object) -> bool:
    """Whether the field would hold only the beginning of the value, or of an item of a list."""
    texts = value if isinstance(value, list | tuple) else (value,)
    lines = (one for one in texts if field.kind in {"line", "names"} and isinstance(one, str))
    return any(one_line(text) != one_line(text, limit=max(LINE_LIMIT, 2 * len(text))) for text in lines)


def plain_text(text: str, *, limit: int = TEXT_LIMIT) -> str:
    """Return the text without control characters, with uniform line ends, at most `limit` UTF-16 units long."""
    lines = without_lone_surrogates(text).replace("\r\n", "\n").replace("\r", "\n")
    return cut(_CONTROLS.sub(" ", lines).strip(), limit_utf16=limit).strip()


_NAME: Final = Field(name="name")
_TAGS: Final = Field(name="tags", kind="names", default=())
_DUE: Final = Field(name="due_date", kind="date", default=None)
_PROJECT_STATUS: Final = ("active", "waiting", "blocked", "someday", "done")
_OPEN_STATUSES: Final = frozenset({"pending", "active", "waiting", "blocked"})

FIELDS: Final[Mapping[Category, tuple[Field, ...]]] = {
    Category.PEOPLE: (
        _NAME,
        Field(name="context"),
        Field(name="follow_ups", kind="names", default=()),
        Field(name="related_projects", kind="names", default=()),
        Field(name="last_touched", kind="date", default=None),
        _TAGS,
    ),
    Category.PROJECTS: (
        _NAME,
        Field(name="status", kind="choice", choices=_PROJECT_STATUS, default="active"),
        Field(name="next_action"),
        Field(name="related_people", kind="names", default=()),
        _DUE,
        _TAGS,
    ),
    Category.IDEAS: (
        _NAME,
        Field(name="one_liner"),
        Field(name="related_projects", kind="names", default=()),
        _TAGS,
    ),
    Category.ADMIN: (
        _NAME,
        Field(name="status", kind="choice", choices=("pending", "done"), default="pending"),
        _DUE,
        _TAGS,
    ),
    Category.DETAILS: (
        _NAME,
        Field(name="value"),
        _TAGS,
    ),
    Category.INBOX: (
        Field(name="suggested_name"),
        Field(name="original_text", kind="text"),
        Field(
            name="suggested_category",
            kind="choice",
            choices=("people", "projects", "ideas", "admin", "details"),
            default="ideas",
        ),
        Field(name="status", kind="choice", choices=("needs_review",), default="needs_review"),
    ),
    Category.ITEMS: (
        _NAME,
        Field(name=LIST),
        Field(name="status", kind="choice", choices=("pending", "done"), default="pending"),
    ),
}

NOTES_HEADING: Final[Mapping[Category, str]] = dict.fromkeys(Category, "## Notes") | {Category.IDEAS: "## Elaboration"}


def fields_of(category: Category) -> Mapping[str, Field]:
    """Return the fields of a category by name."""
    return {one.name: one for one in FIELDS[category]}


def status_choices(category: Category) -> tuple[str, ...]:
    """Return the values that an entry's status may have; none in categories without a status."""
    status = fields_of(category).get("status")
    return status.choices if status is not None else ()


def statuses_named(text: str) -> frozenset[str]:
    """Return the statuses of a filter: `DONE` and 完了 are `done`, and "open" is every status of open entries."""
    word = one_line(text).casefold()
    choice = _CHOICE_OF.get(word, word)
    return _OPEN_STATUSES if word != choice == "pending" else frozenset({choice})


def name_field(category: Category) -> str:
    """Return the field that holds an entry's name: `suggested_name` in the inbox, else `name`."""
    return "suggested_name" if category is Category.INBOX else "name"
