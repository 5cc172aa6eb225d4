"""Cases: a chat, its events, and the expected state, calls and words.  One YAML file a suite, in evals/cases/.

A value may be a mapping of languages, for example `says: {en: "Remind me", ja: "リマインドして"}`; the case is then played once in each
language.
"""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, Literal

import msgspec

LANGUAGES: Final = ("ja", "en", "zh-TW", "th")
FOLDER: Final = Path(__file__).parent / "cases"
_HELD_OUT_OF: Final = 7
Mind = Literal["code", "model"]


class HistoryMessage(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A message of the history.  `bot`: the bot's answer, None for silence.  `to_bot` is false for an overheard message.

    `calls` are made in one round before the answer, for example `calls: [{web_search: {query: opening hours}}]`.
    """

    who: str = "yuki"
    says: str
    calls: list[dict[str, dict[str, object]]] = []
    bot: str | None = None
    to_bot: bool = True


class FiledEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An entry filed before the question.  `message_index`: the number of its source message in the history."""

    category: str
    name: str
    fields: dict[str, str | list[str]] = {}
    notes: str = ""
    message_index: int | None = None


class SetReminder(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A reminder set before the question: text and local time, for example `2026-11-23T09:00`."""

    text: str
    at: str
    rule: str | None = None


class WebPage(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The result of every web search."""

    text: str
    url: str = "https://example.com/page"
    title: str = "Example"


class NotionRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A page of the shopping list in Notion, by title."""

    name: str


class Meanwhile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An amendment before the question: a message of the history is unsent (`unsend: 1`) or edited (`edit: 1`, with `text`)."""

    unsend: int | None = None
    edit: int | None = None
    text: str = ""
    command: str | None = None


class ExpectedEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """An expected entry; texts are regular expressions."""

    category: str | None = None
    name: str | None = None
    fields: dict[str, str] = {}
    text: str | None = None


class ExpectedReminder(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """An expected open reminder; `text` and `rule` are regular expressions, `at` is the next local time."""

    text: str = ""
    at: str | None = None
    rule: str | None = None
    digest: Literal["daily", "weekly", "chat"] | None = None
    private: bool | None = None


class ExpectedExpense(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """An expected open expense: `what` and `payer` are regular expressions, `shares` is what each person bears, by a part of the name.

    For example, `{what: dinner, payer: Yuki, shares: {Yuki: "¥3,000", 健二: "¥3,000"}}`.
    """

    what: str = ""
    payer: str = ""
    shares: dict[str, str] | None = None


class ExpectedPoll(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """An expected open poll or meeting: `question` and `place` are regular expressions, `options` one for each option in order.

    `closes` and `starts` are local times, such as `2026-11-27T18:00`. `chosen` is the option of the asking member.
    """

    question: str = ""
    options: list[str] | None = None
    closes: str | None = None
    starts: str | None = None
    place: str = ""
    capacity: int | None = None
    chosen: str | None = None


class Expected(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The expected final state, then calls, then words.  Texts are regular expressions, without regard to case.

    `says_date` and `says_time` are compared by value: `says_date: [2026-12-10]` is met by "Dec 10". `grounded`: no detail of the answer may
    lack a source. `or_asks`: a question back that changes nothing is as good. `already`: claims that are true of earlier turns, such as
    `deleted`. `speaks`: by default the case's language; `any` for none. No reading call is expected where the prompt holds the answer.
    """

    entries: list[ExpectedEntry] = []
    no_entry: list[str] = []
    count: int | None = None
    count_at_most: int | None = None
    unchanged: bool = False
    reminders: list[ExpectedReminder] = []
    reminder_count: int | None = None
    expenses: list[ExpectedExpense] = []
    expense_count: int | None = None
    polls: list[ExpectedPoll] = []
    poll_count: int | None = None
    notion_writes: int | None = None
    searches_at_most: int | None = None
    searches_lack: list[str] = []
    replies_at_most: int | None = None
    bucket_lacks: list[str] = []
    prompt_lacks: list[str] = []
    decision: Literal["reply", "silence"] | None = None
    calls: list[str] = []
    no_calls: list[str] = []
    args: dict[str, dict[str, str]] = {}
    reply_has: list[str] = []
    reply_has_any: list[str] = []
    reply_lacks: list[str] = []
    longest: int | None = None
    says_date: list[str] = []
    says_time: list[str] = []
    grounded: bool = False
    or_asks: bool = False
    already: list[str] = []
    speaks: Literal["ja", "en", "zh-TW", "th", "any"] | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing is expected."""
        return self == Expected()


class Attack(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The calls of a mind obeying the injection, round by round.  `stopped_by`: whether code prevents the harm, or only a model can."""

    rounds: list[list[dict[str, dict[str, object]]]]
    stopped_by: Mind


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One case in one language.  `must` holds for every mind; `wants` describes a good model.

    `members` are in the group. `long_ago` messages stand before the history, `since` messages of small talk after it; the words of
    `recap` sum messages up. `pages`: the words behind links, by address; the bot reads links if there is any. `currency`: the chat keeps
    expenses, in this currency where none is named. `lists`: it keeps shared lists. `polls`: members may make polls. `translation`:
    messages of members may be translated. `is_held_out`: the case is played before a release only, so that no prompt is fitted to it.
    """

    name: str
    says: str
    who: str = "yuki"
    language: Literal["ja", "en", "zh-TW", "th"] = "en"
    chat: Literal["user", "group"] = "user"
    to_bot: bool = True
    policy: Literal["mention", "model", "off"] = "mention"
    people: dict[str, str] = {}
    now: str = "2026-11-22T10:00:00+09:00"
    zone: str = "Asia/Tokyo"
    quotes: int | None = None
    history: list[HistoryMessage] = []
    entries: list[FiledEntry] = []
    reminders: list[SetReminder] = []
    members: int = 3
    currency: str | None = None
    lists: bool = False
    polls: bool = False
    translation: bool = False
    notion: list[NotionRow] | None = None
    web: WebPage | None = None
    web_fails: bool = False
    pages: dict[str, str] = {}
    meanwhile: list[Meanwhile] = []
    recap: str = "They talked."
    long_ago: int = 0
    since: int = 0
    may_apologise: bool = False
    wants: Expected = Expected()
    must: Expected = Expected()
    attack: Attack | None = None
    suite: str = ""
    is_held_out: bool = False

    @property
    def id(self) -> str:
        """Suite, name and language, for example `dates/tomorrow-ja`."""
        return f"{self.suite}/{self.name}"


def read_cases(suites: frozenset[str] = frozenset(), *, folder: Path = FOLDER) -> list[Case]:
    """Return the cases of the named suites, by default of all.  Raises: msgspec.ValidationError, KeyError for an unknown suite."""
    files = {path.stem: path for path in sorted(folder.glob("*.yaml"))}
    return [case for suite in sorted(suites) or files for case in _read(files[suite])]


def _read(path: Path) -> Iterator[Case]:
    entries = msgspec.yaml.decode(path.read_bytes(), type=list[dict[str, object]])
    held_out = _held_out([str(entry["name"]) for entry in entries])
    for entry in entries:
        shared = {"suite": path.stem, "is_held_out": entry["name"] in held_out}
        languages = entry["says"].keys() if isinstance(entry["says"], dict) else (None,)
        for language in languages:
            language_fields = (
                {"name": f"{entry['name']}-{language}", "language": language} if language is not None else {}
            )
            values = {
                name: value if language is None else _in_language(value, str(language)) for name, value in entry.items()
            }
            present = {name: value for name, value in values.items() if value is not None}
            yield msgspec.convert({**present, **language_fields, **shared}, Case)


def _held_out(scenarios: Sequence[str]) -> frozenset[str]:
    """Return a seventh of a suite's scenarios, chosen by the hash of the name; all languages of a scenario go together.

    For example, of seven scenarios one is held out, and of three none.
    """
    by_hash = sorted(scenarios, key=lambda name: hashlib.sha256(name.encode()).hexdigest())
    return frozenset(by_hash[: round(len(by_hash) / _HELD_OUT_OF)])


def _in_language(value: object, language: str) -> object:
    if isinstance(value, dict):
        if value and value.keys() <= {*LANGUAGES, "else"}:
            return value.get(language, value.get("else"))
        by_language = {name: _in_language(one, language) for name, one in value.items()}
        return {name: one for name, one in by_language.items() if one is not None}
    if isinstance(value, list):
        return [one for one in (_in_language(one, language) for one in value) if one is not None]
    return value
