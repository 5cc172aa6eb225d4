"""Cases: what a chat looks like, what happens in it, and what must hold afterwards.  One YAML file a suite, in evals/cases/.

A value that differs by language is a mapping of languages; the case is then played once in each of them.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal

import msgspec

LANGUAGES: Final = ("ja", "en", "zh-TW", "th")
FOLDER: Final = Path(__file__).parent / "cases"
Mind = Literal["code", "model"]


class Said(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A message of the history.  `bot`: what the bot answered; None: nothing.  `to_bot` is false for what was only overheard."""

    who: str = "yuki"
    says: str
    bot: str | None = None
    to_bot: bool = True


class Filed(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An entry that is there before.  `said`: the number of the message of the history that it came from."""

    category: str
    name: str
    fields: dict[str, str | list[str]] = {}
    notes: str = ""
    said: int | None = None


class Reminded(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A reminder that is there before: its text, and its local time, such as `2026-11-23T09:00`."""

    text: str
    at: str
    rule: str | None = None


class WebPage(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What every web search finds."""

    text: str
    url: str = "https://example.com/page"
    title: str = "Example"


class NotionRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A page of the shopping list in Notion: its title."""

    name: str


class Meanwhile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What happens to a message of the history before the question: it is unsent, or gets another text."""

    unsend: int | None = None
    edit: int | None = None
    text: str = ""
    command: str | None = None


class WantedEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What one of the entries must be; texts are regular expressions."""

    category: str | None = None
    name: str | None = None
    fields: dict[str, str] = {}
    text: str | None = None


class WantedReminder(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What one of the open reminders must be; `text` and `rule` are regular expressions, `at` is its next local time."""

    text: str = ""
    at: str | None = None
    rule: str | None = None
    digest: Literal["daily", "weekly"] | None = None


class Expected(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is graded: the final state, then the calls, then the words.  Texts are regular expressions, without regard to case."""

    entries: list[WantedEntry] = []
    no_entry: list[str] = []
    count: int | None = None
    count_at_most: int | None = None
    unchanged: bool = False
    reminders: list[WantedReminder] = []
    reminder_count: int | None = None
    notion_writes: int | None = None
    searches_at_most: int | None = None
    searches_lack: list[str] = []
    replies_at_most: int | None = None
    bucket_lacks: list[str] = []
    prompt_lacks: list[str] = []
    decision: Literal["reply", "silence"] | None = None
    calls: list[str] = []
    any_call: list[str] = []
    no_calls: list[str] = []
    args: dict[str, dict[str, str]] = {}
    reply_has: list[str] = []
    reply_has_any: list[str] = []
    reply_lacks: list[str] = []
    longest: int | None = None
    speaks: Literal["ja", "en", "zh-TW", "th"] | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing is expected."""
        return self == Expected()


class Attack(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a mind does that obeys the injection, round by round.  `stopped_by`: whether code prevents the harm, or only a model can."""

    rounds: list[list[dict[str, dict[str, object]]]]
    stopped_by: Mind


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One case in one language.  `must` holds for whichever mind thinks; `wants` is what a good model does.

    `members` are in the group. `long_ago` messages stand before the history, so that a recap sums them up in the words of `recap`.
    """

    name: str
    says: str
    who: str = "yuki"
    language: str = "en"
    chat: Literal["user", "group"] = "user"
    to_bot: bool = True
    policy: Literal["mention", "model", "off"] = "mention"
    people: dict[str, str] = {}
    now: str = "2026-11-22T10:00:00+09:00"
    zone: str = "Asia/Tokyo"
    quotes: int | None = None
    history: list[Said] = []
    entries: list[Filed] = []
    reminders: list[Reminded] = []
    members: int = 3
    notion: list[NotionRow] | None = None
    web: WebPage | None = None
    web_fails: bool = False
    meanwhile: list[Meanwhile] = []
    recap: str = "They talked."
    long_ago: int = 0
    may_apologise: bool = False
    wants: Expected = Expected()
    must: Expected = Expected()
    attack: Attack | None = None
    suite: str = ""

    @property
    def id(self) -> str:
        """Its suite, name and language."""
        return f"{self.suite}/{self.name}"


def read_cases(suites: frozenset[str] = frozenset(), *, folder: Path = FOLDER) -> list[Case]:
    """Return the cases of these suites; of all where none is named.  Raises: msgspec.ValidationError, KeyError for an unknown suite."""
    files = {path.stem: path for path in sorted(folder.glob("*.yaml"))}
    return [case for suite in sorted(suites) or files for case in _read(files[suite])]


def _read(path: Path) -> Iterator[Case]:
    for given in msgspec.yaml.decode(path.read_bytes(), type=list[dict[str, object]]):
        languages = given["says"].keys() if isinstance(given["says"], dict) else (None,)
        for language in languages:
            own = {"name": f"{given['name']}-{language}", "language": language} if language is not None else {}
            values = {
                name: value if language is None else _in_language(value, str(language)) for name, value in given.items()
            }
            said = {name: value for name, value in values.items() if value is not None}
            yield msgspec.convert({**said, **own, "suite": path.stem}, Case)


def _in_language(value: object, language: str) -> object:
    if isinstance(value, dict):
        if value and value.keys() <= {*LANGUAGES, "else"}:
            return value.get(language, value.get("else"))
        named = {name: _in_language(one, language) for name, one in value.items()}
        return {name: one for name, one in named.items() if one is not None}
    if isinstance(value, list):
        return [one for one in (_in_language(one, language) for one in value) if one is not None]
    return value
