"""The language model: it repeats the words of its prompt, so that a withdrawn word that reaches it is seen in what it makes.

There are three kinds. One repeats every word. One paraphrases: it uses a fixed other word for each word of a message that stands in its
prompt. One repeats nothing, so only what names a withdrawn message directly may ever lose words.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Final, Literal, TypeAlias

from greenlet import GreenletExit

from shared.access.budgets import Limits
from shared.adapters.memory.scripted_model import calling, unusable
from shared.agent.model import (
    Content,
    FilePart,
    FunctionResponses,
    Json,
    JsonAnswer,
    JsonRequest,
    MediaPart,
    MixedContent,
    ModelRequest,
    ModelResponse,
    Part,
    TextContent,
)
from shared.clock import Deadline
from shared.errors import ModelRefusedError, ModelUnavailableError
from shared.knowledge.embeddings import Embedded, Kind
from shared.metering import Purpose, Usage
from tests.simulation.pages import EVIL
from tests.simulation.people import COMMON, gloss_of, link_of
from tests.simulation.world import WORD, Thought, World

Manner: TypeAlias = Literal["repeats", "paraphrases", "says nothing"]
HUM: Final = "mm-hmm"
"""What a recap or a caption of a model that repeats nothing says: long enough to count as repeated, and in no fixed text of the bot."""
FirstFails: TypeAlias = Literal["used up", "retired"]
REQUEST_TOKENS: Final = 100
_RETRY_AFTER_S: Final = 30.0
_HEADER: Final = re.compile(r"\[[^\]|]+ \| (?:\d{4}-\d\d-\d\d )?\d\d:\d\d\] ")
_DELETES: Final[Mapping[str, int]] = {
    "delete_entry": 1,
    "move_entry": 1,
    "clear_list": 1_000,
    "undo_last_change": 1_000,
    "cancel_reminder": 1,
    "remind": 1_000,  # it cancels every reminder that holds its words
}
_LINE: Final = re.compile(r"\n(?=\[)")
"""Where a line of this system begins; no line of a person can."""
ORDER: Final = re.compile(
    r"\b(file|note|move|delete|undo|page|find|recall|forget|remind|cancel|reword|pay|correct|unpay|settle|owe|poll|pollby|pollpush|meet|meetsoon|endpoll|calloff|buy|tick|clear"
    r"|sum|pushsum|privsum|read|keep)"
    rf" (word\d+[a-z])((?:{COMMON})?)$",
    re.MULTILINE,
)
"""What the bot is asked to do, with which word, and what is said beside it."""
_ANSWER_MARK: Final = re.compile(r"re\d+:|[✓☐] ")  # of answers and receipts
_CATCH_UP: Final = "[note] Somebody asks by /catchup"
_EARLIER_ATTEMPT: Final = "[earlier attempt]"
_QUESTION_HEADINGS: Final = ("To be answered:", "else `skip`:")
_TEXT_HEADING: Final = "# Text\n"
_MESSAGES_HEADING: Final = "# Messages"
TRANSLATED: Final = "rendered"
"""With what a translation begins."""
_CATEGORIES: Final = ("people", "projects", "ideas", "admin", "details")
_OWN_WRITES: Final = frozenset(
    {
        "classify_and_capture",
        "update_entry",
        "move_entry",
        "delete_entry",
        "remind",
        "cancel_reminder",
        "add_expense",
        "add_to_list",
        "create_poll",
        "create_meeting",
    }
)
_ON_ENTRIES: Final = frozenset({"note", "move", "delete"})
_HANDLE: Final = re.compile(r"\| (e-[a-z2-7]{6}) ")
"""The handle of an entry, at the beginning of its row in the index."""
_LIST: Final = "shopping"
PRICE: Final = 1_000
"""What each expense comes to; it does not divide by three."""
_ITEM_HANDLE: Final = re.compile(r"(?:\| \d+ \||;) (e-[a-z2-7]{6}) ")
"""The handle of an open item, in the line of its list in the index."""
OPTIONS: Final = ("yes", "no")
"""What each poll offers."""
CLOSES: Final = "2025-11-21T13:45"
"""Until when votes count in a poll that ends by itself: five minutes after a scene has begun."""
PLACES: Final = 1
"""How many can take part in each meeting."""
BEGINS: Final = "2025-11-21T13:55"
"""When a meeting begins that has a reminder: a quarter of an hour after a schedule has begun."""
BEFORE_MINUTES: Final = 10
"""How long before a meeting its reminder comes."""
_ROOMMATES: Final = ("Dan", "Eve")
_REMINDER_ID: Final = re.compile(r"^(r[0-9a-f]{10}) \| ", re.MULTILINE)
"""The id of a reminder, at the beginning of its line in the prompt."""
RECURRING: Final = 4
"""One reminder in so many recurs."""
RULES: Final = (
    "FREQ=DAILY",
    "FREQ=DAILY;BYHOUR=1,3,5,7,9,11,13,15,17,19,21,23",  # a schedule that waits for every hour never ends (SOON_MS)
    "FREQ=WEEKLY;INTERVAL=2",
    "FREQ=MONTHLY;BYDAY=3FR",
    "FREQ=MONTHLY;BYMONTHDAY=-1",
    "FREQ=YEARLY",
    "FREQ=MONTHLY;INTERVAL=3",
    "FREQ=MONTHLY;BYDAY=-1MO",
)
"""The rules of recurring reminders.  A schedule begins on the third Friday of a month: there two of the rules are not due."""
_OUT_OF_TURN: Final = frozenset({"write_recap", "write_description"})


@dataclass(slots=True, kw_only=True)
class Mood:
    """How the model behaves.

    `seconds` bounds how long an answer takes; `downs` is how often the model is unavailable, and `skips` how often it chooses `skip`.
    `replies_beside`: how often it replies beside calls that only write to the chat's own store.
    `names`: how entries are called, whatever is filed, so that their names come back; none: by their words.
    `categories`: into which of them it is filed.
    A question that holds a word of `poison` kills the process that asks; with `poisons_anywhere`, so does any prompt. The provider blocks
    every prompt that holds a word of `blocked`, and answers 400 to a request with a picture of a word of `broken`.
    """

    manner: Manner = "repeats"
    seconds: tuple[float, float] = (1.0, 4.0)
    downs: float = 0.0
    skips: float = 0.0
    replies_beside: float = 0.0
    names: tuple[str, ...] = ()
    categories: tuple[str, ...] = _CATEGORIES
    poison: frozenset[str] = field(default_factory=frozenset)
    poisons_anywhere: bool = False
    blocked: frozenset[str] = field(default_factory=frozenset)
    broken: frozenset[str] = field(default_factory=frozenset)

    @property
    def refuses(self) -> bool:
        """Whether the provider refuses some prompts."""
        return bool(self.blocked or self.broken)


@dataclass(frozen=True, slots=True)
class _Prompt:
    """A prompt by its parts.

    `messages` are the parts that show a message by itself, `own_lines` the same without what they quote, `question` is what has to be
    answered; the whole prompt, where that is no turn.
    """

    text: str
    messages: str
    own_lines: str
    question: str
    is_overheard: bool = False
    has_page: bool = False
    """Whether a page was read for this prompt."""
    deletes: int = 0
    """How many entries the calls before the first page may have deleted, at most."""

    @classmethod
    def of(cls, request: ModelRequest) -> "_Prompt":
        parts, messages, own_lines = [], [], []
        shown = [part for content in request.contents for part in _parts_of(content)]
        for part in shown:
            parts.append(_text_of(part))
            if not isinstance(part, str):
                messages.append(parts[-1])
                continue
            for text in _LINE.split(part):
                if _HEADER.match(text) and not text.startswith("[you | "):
                    own_lines.append(text.rpartition("\n")[2])
                    messages.append(own_lines[-1] if _ANSWER_MARK.search(text) else text)
        whole = "\n".join(parts)
        asking = (
            parts
            for parts in map(_prompt_parts, request.contents)
            if not _text_of(next(iter(parts), "")).startswith(_CATCH_UP)
        )
        asked = "\n".join(_text_of(part) for parts_of_one in asking for part in parts_of_one)
        question = next((asked.rpartition(one)[2] for one in _QUESTION_HEADINGS if one in asked), asked)
        is_overheard = _QUESTION_HEADINGS[1] in whole
        page = next((place for place, content in enumerate(request.contents) if _has_page(content)), None)
        deletes = sum(map(_deletes, request.contents[: page + 1])) if page is not None else 0
        return cls(whole, "\n".join(messages), "\n".join(own_lines), question, is_overheard, page is not None, deletes)

    @property
    def shown_ids(self) -> frozenset[str]:
        return frozenset(f"m{word[4:-1]}" for word in WORD.findall(self.messages))


class Mind:
    """A `Model` and `JsonModel` that also checks each prompt for withdrawn and outdated words, and for those of another chat."""

    name = "mind"

    def __init__(self, world: World, mood: Mood, *, budget: Limits) -> None:
        self._budget = budget
        self._spent: Counter[tuple[object, str]] = Counter()
        self._world = world
        self._mood = mood
        self._asked_s: dict[tuple[str, str], float] = {}
        self._reminder_ids: dict[str, list[str]] = {}

    def generate(self, request: ModelRequest) -> ModelResponse:
        """Return the answer, which costs REQUEST_TOKENS."""
        self._check_budget()
        return replace(self._generate(request), usage=self._cost())

    def _cost(self) -> Usage:
        task = self._world.scheduler.current()
        self._world.truth.tokens[task.chat] += REQUEST_TOKENS
        self._spent[task.process, task.chat] += REQUEST_TOKENS
        return Usage(prompt_tokens=REQUEST_TOKENS)

    def _check_budget(self) -> None:
        """No instance asks once it has itself spent what the chat, or all of them, may spend; a schedule lies within a day."""
        task, limits = self._world.scheduler.current(), self._budget
        of_all = sum(tokens for (process, _), tokens in self._spent.items() if process is task.process)
        of_chat = self._spent[task.process, task.chat]
        spent = {"its chat": (limits.tokens_per_chat_day, of_chat), "the deployment": (limits.tokens_per_day, of_all)}
        for whose, (limit, tokens) in spent.items():
            if 0 < limit <= tokens:
                self._world.truth.report(f"I9: a model was asked although the tokens of {whose} were spent")

    def _generate(self, request: ModelRequest) -> ModelResponse:
        world, mood = self._world, self._mood
        prompt = _Prompt.of(request)
        if request.purpose is Purpose.PROBE:
            self._check(prompt, what="a probe")
            return self._refusal(request, prompt) or calling(("skip", {"reason": "a probe"}))
        is_out_of_turn = request.declarations[0].name in _OUT_OF_TURN
        world.truth.model_calls += not is_out_of_turn
        is_first = not any(isinstance(one, FunctionResponses) for one in request.contents)
        self._check(prompt, begins_turn=is_first and not is_out_of_turn)
        self._check_told(request, prompt, is_first=is_first)
        if not is_out_of_turn and is_first:
            world.truth.asked.update({word[:-1] for word in WORD.findall(prompt.question)})
        seconds = world.rng.uniform(*mood.seconds)
        deadly = prompt.text if mood.poisons_anywhere else prompt.question
        if mood.poison and not mood.poison.isdisjoint(WORD.findall(deadly)):
            world.scheduler.give_way("model, poisoned", min(seconds, request.timeout_s))
            world.scheduler.kill(world.scheduler.current().process)
            raise GreenletExit
        refusal = self._refusal(request, prompt)
        if refusal is not None:
            world.truth.refused += not is_out_of_turn
            return refusal
        self._think(seconds, request.timeout_s)
        words = " ".join(self._words(prompt))
        if is_out_of_turn:
            world.truth.recaps.append(Thought(shown=prompt.shown_ids, text=words))
            recorded = world.truth.recorded.get(world.scheduler.current().chat, {})
            answers = (one.text for one in recorded.values() if one.text and one.text.partition(" ")[0] in prompt.text)
            world.truth.note_parts(words, shown_ids=prompt.shown_ids, seen=answers)
            return calling((request.declarations[0].name, {"text": words or HUM}))
        calls = [*self._calls(request, prompt)]
        if calls:
            is_beside = mood.replies_beside and _OWN_WRITES.issuperset(name for name, _ in calls)
            if is_beside and world.rng.random() < mood.replies_beside:
                calls.append(self._reply(prompt, words))
            return calling(*calls)
        if world.rng.random() < mood.skips and not _is_skip_refused(request):
            return calling(("skip", {"reason": "nothing to say"}))
        return calling(self._reply(prompt, words))

    def _classified(self, name: str, arguments: Json) -> tuple[str, Json]:
        """Return the call; one that files a thought gets the classifier's classification, an item a common name."""
        if name == "add_to_list" and self._mood.names:
            return name, {**arguments, "items": [self._mood.names[0]]}
        if name != "classify_and_capture":
            return name, arguments
        rng, names = self._world.rng, self._mood.names
        category, confidence = rng.choice(self._mood.categories), 1.0 if names else rng.choice((0.3, 0.9, 0.9))
        given = names[0] if names else str(arguments["text"])
        return name, {**arguments, "category": category, "name": given, "confidence": confidence}

    def _reply(self, prompt: _Prompt, words: str) -> tuple[str, Json]:
        mark = f"re{self._world.number()}:"
        knows_calls = _EARLIER_ATTEMPT in prompt.text
        self._world.truth.thoughts[mark] = Thought(
            shown=prompt.shown_ids,
            text=words,
            knows_calls=knows_calls,
            has_page=prompt.has_page,
            deletes_before_page=prompt.deletes,
        )
        suggestions = {"suggestions": [f"{mark} {word}" for word in words.split()[:1]]} if words else {}
        return "reply", {"message": f"{mark} {words}".strip(), **suggestions}

    def answer_json(self, request: JsonRequest) -> JsonAnswer:
        """Return a classification of the text; the name repeats it, or is a common one.  Or return translations, which repeat the texts."""
        world = self._world
        self._check_budget()
        if request.purpose is Purpose.TRANSLATE:
            return self._translations(request)
        self._check(_Prompt(request.prompt, "", "", ""), what="a classification")
        self._think(world.rng.uniform(0.1, 3.0), request.timeout_s)
        text = request.prompt.rpartition(_TEXT_HEADING)[2]
        category, confidence = world.rng.choice(self._mood.categories), world.rng.choice((0.3, 0.9, 0.9))
        name, names = text, self._mood.names
        if names:
            name, category, confidence = (
                names[sum(map(int, filter(str.isdigit, text))) % len(names)],
                self._mood.categories[0],
                1.0,
            )
        return JsonAnswer(value={"category": category, "confidence": confidence, "name": name}, usage=self._cost())

    def embed(self, texts: Sequence[str], *, kind: Kind, deadline: Deadline) -> Embedded:
        """Return a vector for each text, by which the end of the schedule tells whose words it was made of."""
        self._check_budget()
        self._check(_Prompt("\n".join(texts), "", "", ""), what="a request for embeddings")
        self._world.scheduler.give_way(f"embed {kind}", min(1.0, deadline.left_s))
        return Embedded(vectors=tuple(map(vector_of, texts)), usage=self._cost())

    def _translations(self, request: JsonRequest) -> JsonAnswer:
        """Translate each message from the first language into the others, in its own words, while the model is up."""
        world, mood = self._world, self._mood
        lines = request.prompt.partition(_MESSAGES_HEADING)[2]
        self._check(_Prompt(request.prompt, "", lines, ""), what="a translation's prompt")
        self._think(world.rng.uniform(*mood.seconds), request.timeout_s)
        properties = request.schema["properties"]["messages"]["items"]["properties"]  # type: ignore[index]
        source, *targets = [one for one in properties["language"]["enum"] if one != "other"]
        texts = [block.partition("\n")[2].strip() for block in lines.split("\n## ")[1:]]
        messages = [
            {
                "number": number,
                "language": source,
                "translations": [{"to": to, "text": f"{TRANSLATED}{world.number()} {text}"} for to in targets],
            }
            for number, text in enumerate(texts, start=1)
        ]
        return JsonAnswer(value={"messages": messages}, usage=self._cost())

    def _check(self, prompt: _Prompt, *, what: str = "a prompt", begins_turn: bool = False) -> None:
        """No prompt holds withdrawn or outdated words, or words of another chat.

        The first prompt of a turn rests on the listing with which its chat was read; the look beside it may find more.
        """
        truth, task = self._world.truth, self._world.scheduler.current()
        words = set(WORD.findall(prompt.text))
        if any(not truth.may_outlive(word) for word in truth.forgotten.keys() & words):
            truth.report(f"I4: {what} that started after the withdrawal was handled held withdrawn words")
        listed_s = truth.amendments_listed_s.get((task.request, task.chat), 0.0)
        if begins_turn:
            listed_s = min(listed_s, truth.read_s.get((task.request, task.chat), 0.0))
        outdated = truth.outdated_s.keys() & set(WORD.findall(prompt.own_lines))
        if any(truth.outdated_s[word] < listed_s for word in outdated):
            what = "an interjection's prompt" if prompt.is_overheard else what
            truth.report(f"I4: {what} held the text from before an edit that had been handled")
        if any(self._world.authors.get(word[:-1], task.chat) != task.chat for word in words):
            truth.report("I7: a prompt held words of another chat")

    def _check_told(self, request: ModelRequest, prompt: _Prompt, *, is_first: bool) -> None:
        """Nothing was looked up from before one of those who ask joined, if that had been handled before they were read.

        Who has left since is told nothing, and hides nothing from the others.
        """
        truth, task = self._world.truth, self._world.scheduler.current()
        if is_first:
            self._asked_s[task.request, task.chat] = self._world.now_s
            return
        lines = "\n".join(
            _own_line(str(line)) for content in request.contents for line in _looked_up_in(content, "recall")
        )
        told_s = [truth.written[one[:-1]][1] for one in WORD.findall(lines) if one[:-1] in truth.written]
        question = "\n".join(one for one in prompt.question.splitlines() if not one.startswith("picture of "))
        asking = "\n".join(map(_own_line, _LINE.split(question)))
        for author, _ in (truth.written[one[:-1]] for one in WORD.findall(asking) if one[:-1] in truth.written):
            whose = task.chat, author
            joined_s, handled_s = truth.joined.get(whose, (0.0, 0.0))
            has_left = max(truth.leavings_s.get(whose, [-1.0])) >= joined_s
            if (
                not has_left
                and handled_s < self._asked_s.get((task.request, task.chat), 0.0)
                and min(told_s, default=joined_s) < joined_s
            ):
                truth.report("I7: a member who joined later was told what had been said before")

    def _refusal(self, request: ModelRequest, prompt: _Prompt) -> ModelResponse | None:
        """Return the answer to a prompt that is blocked; None: it is not.  Raises: ModelRefusedError, if a picture in it is broken."""
        shown = [part for content in request.contents for part in _prompt_parts(content)]
        pictures = {word for part in shown if not isinstance(part, str) for word in WORD.findall(_text_of(part))}
        is_broken = not self._mood.broken.isdisjoint(pictures)
        if not is_broken and self._mood.blocked.isdisjoint(WORD.findall(prompt.text)):
            return None
        self._world.scheduler.give_way("model, refused", 0.3)
        if is_broken:
            self._world.truth.refused += request.purpose is Purpose.TURN
            raise ModelRefusedError("400 INVALID_ARGUMENT")
        return unusable("", block_reason="PROHIBITED_CONTENT")

    def _think(self, seconds: float, timeout_s: float) -> None:
        """Take that long.  Raises: ModelUnavailableError."""
        if self._world.weather.is_down("model", self._world.now_s):
            hangs_s = timeout_s if self._world.weather.hangs else self._world.weather.call_s
            self._world.scheduler.give_way("model, down", min(hangs_s, timeout_s))
            raise ModelUnavailableError("the model is down")
        self._world.scheduler.give_way("model", min(seconds, timeout_s))
        if seconds > timeout_s or self._world.rng.random() < self._mood.downs:
            raise ModelUnavailableError("no answer")

    def _words(self, prompt: _Prompt) -> Iterator[str]:
        match self._mood.manner:
            case "repeats":
                yield from dict.fromkeys(WORD.findall(prompt.text))
            case "paraphrases":
                yield from map(gloss_of, dict.fromkeys(WORD.findall(prompt.messages)))
            case "says nothing":
                return

    def _calls(self, request: ModelRequest, prompt: _Prompt) -> Iterator[tuple[str, Json]]:
        """Return the next calls that the question asks for: first those that need no path, then those on what was listed.

        Every second order names an entry of the index by its handle, or a reminder by its id, without a listing. The id may come from an
        earlier prompt of the chat.
        """
        offered = {one.name for one in request.declarations}
        rounds = [one for one in request.contents if isinstance(one, FunctionResponses)]
        orders = ORDER.findall(prompt.question) if self._mood.manner != "says nothing" else []
        chat = self._world.scheduler.current().chat
        reminder_ids = self._reminder_ids.setdefault(chat, [])
        reminder_ids += [one for one in _REMINDER_ID.findall(prompt.text) if one not in reminder_ids]
        for verb, word, more in orders:
            text = (gloss_of(word) if self._mood.manner == "paraphrases" else word) + more
            number = int(word[4:-1])
            if not rounds and number % 2 and verb in _ON_ENTRIES and (handles := _HANDLE.findall(prompt.text)):
                yield from _calls_on_path(
                    verb, text, handles[number % len(handles)], _CATEGORIES[number % len(_CATEGORIES)]
                )
            elif not rounds and verb == "tick":
                if items := _ITEM_HANDLE.findall(prompt.text):
                    handle = items[number % len(items)]
                    self._world.truth.ticked.add((chat, handle, f"m{number}"))
                    yield "update_entry", {"path": handle, "updates": {"status": "done"}}
            elif not rounds and number % 2 and verb == "cancel" and reminder_ids:
                reminder_id = reminder_ids[number % len(reminder_ids)]
                self._world.truth.cancelled_by_id.add((chat, reminder_id))
                yield "cancel_reminder", {"id": reminder_id}
            elif not rounds:
                calls = (one for one in _calls_without_path(verb, text) if one[0] in offered)
                yield from (self._classified(*one) if self._mood.replies_beside else one for one in calls)
            elif len(rounds) == 1 and verb == "read" and (handles := _HANDLE.findall(prompt.text)):
                yield "delete_entry", {"path": handles[0]}  # as the page orders
            elif len(rounds) == 1 and (expenses := _expense_ids_in(rounds[0])):
                yield from _calls_on_expense(verb, text, expenses[number % len(expenses)])
            elif len(rounds) == 1 and (paths := _paths_in(rounds[0])):
                category = self._world.rng.choice(_CATEGORIES)
                yield from _calls_on_path(verb, text, paths[number % len(paths)], category)


class FirstModel:
    """A first model that answers nobody, while a second one is well: its quota is used up, or it is retired."""

    name = "first"

    def __init__(self, world: World, fails: FirstFails) -> None:
        self._world = world
        self._fails = fails

    def generate(self, request: ModelRequest) -> ModelResponse:
        """Raises: ModelUnavailableError, ModelRefusedError."""
        self._world.scheduler.give_way("first model", min(0.3, request.timeout_s))
        if self._fails == "used up":
            raise ModelUnavailableError("429", retry_after_s=_RETRY_AFTER_S)
        raise ModelRefusedError("404", is_about_request=False)


def _prompt_parts(content: Content) -> Sequence[Part]:
    """Return what a content of the prompt shows."""
    if isinstance(content, MixedContent):
        return content.parts
    return content.texts if isinstance(content, TextContent) else ()


def _parts_of(content: Content) -> Sequence[Part]:
    """Return what a content shows of the chat; of results those of `recall` and `forget_messages`: lines like those of the prompt."""
    if not isinstance(content, FunctionResponses):
        return _prompt_parts(content)
    return [*_looked_up_in(content, "recall"), *_looked_up_in(content, "forget_messages")]


def _own_line(text: str) -> str:
    """Return what the line of a person says, without what it quotes; of the bot's line nothing."""
    return text.rpartition("\n")[2] if _HEADER.match(text) and not text.startswith("[you | ") else ""


def _has_page(content: Content) -> bool:
    """Whether the content answers a call that read a page."""
    responses = content.responses if isinstance(content, FunctionResponses) else ()
    return any(one.call.name == "read_link" and "output" in one.response for one in responses)


def _deletes(content: Content) -> int:
    """Return how many entries and reminders the content's calls may delete.

    The model makes the calls of one round before it sees any of their results.
    """
    responses = content.responses if isinstance(content, FunctionResponses) else ()
    return sum(
        _DELETES.get(one.call.name, 0) for one in responses if one.call.name != "remind" or "cancel" in one.call.args
    )


def _looked_up_in(content: Content, tool: str) -> Sequence[str]:
    """Return the lines that the tool found."""
    if not isinstance(content, FunctionResponses):
        return ()
    outputs = (one.response.get("output") for one in content.responses if one.call.name == tool)
    return [str(line) for output in outputs if isinstance(output, Mapping) for line in _lines_in(output)]


def _lines_in(output: Mapping[str, object]) -> Sequence[object]:
    lines = output.get("lines", output.get("proposed", ()))
    return lines if isinstance(lines, list | tuple) else ()


def vector_of(text: str) -> list[float]:
    """Return the vector of a text; texts with other words have others."""
    return [float(byte) + 1.0 for byte in sha256(" ".join(WORD.findall(text)).encode()).digest()]


def _is_skip_refused(request: ModelRequest) -> bool:
    """Whether the last round called `skip` in vain, because the turn has changed something."""
    last = request.contents[-1]
    return isinstance(last, FunctionResponses) and any(one.call.name == "skip" for one in last.responses)


def _calls_without_path(verb: str, text: str) -> Iterator[tuple[str, Json]]:
    match verb:
        case "file":
            yield "classify_and_capture", {"text": text}
        case "undo":
            yield "undo_last_change", {}
        case "remind" | "cancel" | "reword" | "sum" | "pushsum" | "privsum":
            yield "remind", _reminding(verb, text)
        case "pay" | "settle" | "owe" | "correct" | "unpay":
            yield from _calls_of_expenses(verb, text)
        case "read":
            yield from _reading(text)
        case "buy" | "clear":
            yield ("add_to_list", {"list": _LIST, "items": [text]}) if verb == "buy" else ("clear_list", {})
        case "poll" | "pollby" | "pollpush" | "meet" | "meetsoon" | "endpoll" | "calloff":
            yield _polling(verb, text)
        case "page":
            yield "create_page", {"database_name": "shopping", "title": text}
        case "recall" | "forget" | "find" | "keep":
            yield _looking_up(verb, text)
        case _:
            yield "list_entries", {"limit": 50}


def _looking_up(verb: str, text: str) -> tuple[str, Json]:
    if verb == "find":
        return "search_entries", {"query": f"not {text}"}
    if verb == "keep":
        return "propose_translation", {"change": "keep_word", "word": text}
    return ("recall" if verb == "recall" else "forget_messages"), {"since": "2001-01-01"}


def _reading(text: str) -> Iterator[tuple[str, Json]]:
    """Yield the call for the link of the message, and one for an address that a page may want."""
    for url in (link_of(text), f"{EVIL}{text}"):
        yield "read_link", {"url": url, "question": text}


def _polling(verb: str, text: str) -> tuple[str, Json]:
    question: Json = {"question": text, "options": list(OPTIONS)}
    calls: dict[str, tuple[str, Json]] = {
        "poll": ("create_poll", question),
        "pollby": ("create_poll", {**question, "closes": CLOSES}),
        "pollpush": ("create_poll", {**question, "closes": CLOSES, "push": True}),
        "meet": ("create_meeting", {"what": text, "at": "2026-06-01T19:00", "capacity": PLACES}),
        "meetsoon": (
            "create_meeting",
            {"what": text, "at": BEGINS, "capacity": PLACES, "remind_minutes_before": BEFORE_MINUTES},
        ),
        "calloff": ("call_off_meeting", {}),
    }
    return calls.get(verb, ("close_poll", {}))


def _reminding(verb: str, text: str) -> Json:
    if verb in {"sum", "pushsum", "privsum"}:
        is_private = verb == "privsum"
        return {"text": text, "minutes": 2, "sums_up": True, "pushes": verb != "sum", "is_private": is_private}
    if verb != "remind":
        return {"cancel": ""} if verb == "cancel" else {"reword": text}
    number = int("".join(filter(str.isdigit, text)))
    rule = {"rule": RULES[number // RECURRING % len(RULES)]} if number % RECURRING == 0 else {}
    return {"text": text, "minutes": 1 + number % 3, **rule}


def _calls_on_path(verb: str, text: str, path: str, category: str) -> Iterator[tuple[str, Json]]:
    match verb:
        case "note":
            yield "update_entry", {"path": path, "updates": {"note": text}}
        case "move":
            yield "move_entry", {"path": path, "targetCategory": category}
        case "delete":
            yield "delete_entry", {"path": path}


def _calls_of_expenses(verb: str, text: str) -> Iterator[tuple[str, Json]]:
    match verb:
        case "pay":
            yield "add_expense", {"what": text, "amount": str(PRICE), "among": ["me", *_ROOMMATES]}
        case "settle":
            yield "settle", {"currency": "JPY"}
        case "owe":
            yield "balance", {}
        case _:
            yield "list_expenses", {"limit": 50}


def _calls_on_expense(verb: str, text: str, expense_id: str) -> Iterator[tuple[str, Json]]:
    match verb:
        case "correct":
            yield "change_expense", {"id": expense_id, "what": text, "amount": str(2 * PRICE)}
        case "unpay":
            yield "remove_expense", {"id": expense_id}


def _expense_ids_in(results: FunctionResponses) -> list[str]:
    """Return the ids of the expenses that were listed."""
    outputs = (answer.response.get("output") for answer in results.responses)
    listed = (output.get("expenses") for output in outputs if isinstance(output, Mapping))
    return [str(one["id"]) for expenses in listed if isinstance(expenses, list | tuple) for one in expenses]


def _paths_in(results: FunctionResponses) -> list[str]:
    """Return the paths of the entries that were listed."""
    outputs = (answer.response.get("output") for answer in results.responses)
    listed = (output.get("entries") for output in outputs if isinstance(output, Mapping))
    return [str(entry["path"]) for entries in listed if isinstance(entries, list | tuple) for entry in entries]


def _text_of(part: Part) -> str:
    if isinstance(part, MediaPart):
        return part.source.decode() if isinstance(part.source, bytes) else ""
    return part.text if isinstance(part, FilePart) else part
