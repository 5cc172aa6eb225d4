"""`python -m benchmarks.prompts`: the requests of eight situations, exactly as the worker makes them, on ports in memory.

For each situation: the number of requests in the last turn; the estimated tokens of all of them, of the first, and of its fixed part, which
is instruction and declarations; the tokens of the prefix shared byte for byte by the first request and the next turn's first request; and
the SDK's CPU time for a request, up to a refused connection.

Tokens count instruction, declarations as they are sent, and contents without media, by the rule of `estimated_tokens`: one token for four
ASCII characters, one for any other character. For example, `tokens("hello 雨")` is 3: 2 for six ASCII characters, 1 for the other.
"""

import json
import math
import random
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

from evals.prices import dollars
from shared import logs
from shared.adapters.gemini import GeminiModel
from shared.adapters.gemini_wire import declaration_body
from shared.adapters.memory import (
    FixedClock,
    MemoryFiles,
    MemoryLineApi,
    MemoryMedia,
    MemoryObjectStore,
    MemoryProfiles,
    ScriptedJsonModel,
    ScriptedModel,
)
from shared.adapters.memory.line_people import HeldContent
from shared.adapters.memory.link_pages import MemoryLinkReader
from shared.adapters.memory.notion import MemoryNotion
from shared.adapters.memory.scripted_model import Step, calling
from shared.agent.model import FunctionResponses, MixedContent, ModelContent, ModelRequest, TextContent
from shared.clock import Deadline
from shared.composition.assembly import assemble
from shared.composition.ports import NotionPort, Options, Ports, Threads
from shared.errors import AizuchiError
from shared.line.addressing import GroupPolicy
from shared.metering import Usage
from shared.settings.agent_worker import GeminiSettings
from shared.settings.secret import FixedSecret
from shared.tools.web import WebAnswer, WebSource
from tests.support import push
from tests.support.chats import conversations_on
from tests.support.people import ChatEvents

REPLY: Final = calling(("reply", {"message": "わかりました。"}))
SKIP: Final = calling(("skip", {"reason": "not for me"}))
_RUNS: Final = 15
_HISTORY: Final = 80
_TURNS: Final = 30
_FILED_EVERY: Final = 5
LEAST_CACHED_TOKENS: Final = 4_096
"""The shortest prefix that Gemini caches implicitly.  Source: Google, "Context caching", of the Flash models 3.5 to 3.8."""
_PRICED: Final = "gemini-3.5-flash-lite"
_MILLION: Final = 1_000_000
_STORAGE_DOLLARS_A_MILLION_HOUR: Final = 1.0
"""Of an explicit cache.  Source: Google, "Gemini Developer API pricing": of the Flash and Flash-Lite models that list a price."""


class _Web:
    """A search engine with a single answer."""

    name = "web"

    def search(self, query: str, deadline: Deadline) -> WebAnswer:  # noqa: ARG002 - the port's own words
        return WebAnswer(
            text="明日の大阪は雨です[1]。" * 6,
            sources=(WebSource(title="天気", url="https://example.com/weather"),),
            searches=(query,),
        )


class Bot:
    """A worker on ports in memory; the requests to the model are recorded."""

    def __init__(
        self, pool: ThreadPoolExecutor, *, is_group: bool, toolsets: frozenset[str], policy: GroupPolicy
    ) -> None:
        self.clock = FixedClock()
        self._pause_s = 31 if policy is GroupPolicy.MODEL else 1  # between interjections lie 30 s
        self.model = ScriptedModel()
        self.json_model = ScriptedJsonModel()
        self.media = MemoryMedia()
        self.notion = MemoryNotion(self.clock)
        self.events = ChatEvents(is_group=is_group)
        notion = NotionPort(api=self.notion, databases={"shopping": "db1", "todo": "db2"}, conversations=None)
        ports = Ports(
            conversations=conversations_on(MemoryObjectStore(), pool, self.clock),
            line=MemoryLineApi(),
            profiles=MemoryProfiles(),
            media=self.media,
            files=MemoryFiles(),
            model=self.model,
            json_model=self.json_model,
            web=_Web() if "web" in toolsets else None,
            links=MemoryLinkReader() if "web" in toolsets else None,
            notion=notion if "notion" in toolsets else None,
            threads=Threads.on(pool),
            clock=self.clock,
            chance=random.Random(1),  # noqa: S311 - the same requests in every run
        )
        self._handle = push_endpoint(ports, Options(bot_name="Aizuchi", group_policy=policy))

    def hears(self, event: Mapping[str, Any], *steps: Step) -> list[ModelRequest]:
        """Deliver the event; return the turn's requests to the model."""
        self.model.steps, self.model.requests = list(steps), []
        self.clock.move(self._pause_s)
        self._handle("POST", push.envelope(dict(event), published=push.PUBLISHED))
        return [one for one in self.model.requests if any(tool.name == "reply" for tool in one.declarations)]


def push_endpoint(ports: Ports, options: Options) -> Callable[[str, bytes], object]:
    """Return the endpoint of a worker."""
    from shared.bus.endpoint import PushEndpoint  # noqa: PLC0415 - next to the only use

    return PushEndpoint(handle=assemble(ports, options), clock=ports.clock)


@dataclass(frozen=True, kw_only=True)
class Situation:
    """A message and the model's answers; `prepare` plays the history."""

    name: str
    say: Callable[[Bot], Sequence[ModelRequest]]
    is_group: bool = False
    toolsets: frozenset[str] = frozenset()
    policy: GroupPolicy = GroupPolicy.MENTION
    follow: Sequence[Step] = field(default=(REPLY,))


def _talk(bot: Bot, count: int, *, prefix: str = "") -> None:
    for number in range(count):
        bot.hears(bot.events.text(f"{prefix}{number}番目の話。来週の引越しと庭の工事のことを少し。"), REPLY)


def _greeting(bot: Bot) -> Sequence[ModelRequest]:
    _talk(bot, 6)
    return bot.hears(bot.events.text("おはよう"), REPLY)


def _filing(bot: Bot) -> Sequence[ModelRequest]:
    _talk(bot, 6)
    thought = {"text": "庭の工事は来週の月曜 (2025-11-24) から", "name": "庭の工事", "date": "2025-11-24"}
    filing = {**thought, "category": "projects", "confidence": 0.9}
    step = calling(("classify_and_capture", filing), ("reply", {"message": "わかりました。"}))
    return bot.hears(bot.events.text("庭の工事は来週の月曜から、覚えておいて"), step)


def _mention(bot: Bot) -> Sequence[ModelRequest]:
    _talk(bot, _HISTORY)
    return bot.hears(bot.events.text("@Aizuchi どう思う?"), REPLY)


def _overheard(bot: Bot) -> Sequence[ModelRequest]:
    for number in range(20):
        bot.hears(bot.events.text(f"{number}番目の話。"), SKIP)
    return bot.hears(bot.events.text("傘いるかな"), SKIP)


def _quote(bot: Bot) -> Sequence[ModelRequest]:
    _talk(bot, 6)
    return bot.hears(bot.events.text("これは何時?", quotedMessageId="m3"), REPLY)


def _picture(bot: Bot) -> Sequence[ModelRequest]:
    picture = bot.events.event("message", message={"type": "image", "contentProvider": {"type": "line"}})
    bot.media.contents[picture["message"]["id"]] = HeldContent(
        data=b"\xff\xd8" + b"x" * 60_000, content_type="image/jpeg"
    )
    bot.hears(picture, REPLY)
    return bot.hears(bot.events.text("これは何の花?"), REPLY)


def _notion(bot: Bot) -> Sequence[ModelRequest]:
    return bot.hears(
        bot.events.text("牛乳は買ったよ"),
        calling(("search_database", {"database_name": "shopping", "query": "牛乳"})),
        REPLY,
    )


def _web(bot: Bot) -> Sequence[ModelRequest]:
    return bot.hears(bot.events.text("明日の大阪の天気は?"), calling(("web_search", {"query": "大阪 天気"})), REPLY)


SITUATIONS: Final = (
    Situation(name="1:1, greeting", say=_greeting),
    Situation(name="1:1, filing", say=_filing),
    Situation(name=f"group, mention after {_HISTORY} messages", say=_mention, is_group=True),
    Situation(name="group, unaddressed", say=_overheard, is_group=True, policy=GroupPolicy.MODEL, follow=(SKIP,)),
    Situation(name="1:1, quote", say=_quote),
    Situation(name="1:1, picture and question", say=_picture),
    Situation(name="1:1, notion", say=_notion, toolsets=frozenset({"notion"})),
    Situation(name="1:1, web", say=_web, toolsets=frozenset({"web"})),
)


def tokens(text: str) -> int:
    """Return the same estimate as the worker's budgets, written out here to keep releases comparable."""
    ascii_characters = len(text.encode("ascii", "ignore"))
    return len(text) - ascii_characters + math.ceil(ascii_characters / 4)


def text_of(request: ModelRequest) -> str:
    """Return the request's instruction, declarations and contents in a provider's reading order."""
    spoken: list[str] = []
    for content in request.contents:
        match content:
            case TextContent() | MixedContent():
                spoken += [content.role, *content.texts]
            case FunctionResponses():
                spoken += [json.dumps(dict(one.response), ensure_ascii=False) for one in content.responses]
            case ModelContent():
                spoken.append(json.dumps(dict(content.wire), ensure_ascii=False))
    return "\n".join((_fixed_text(request), *spoken))


def _fixed_text(request: ModelRequest) -> str:
    declared = json.dumps([declaration_body(one) for one in request.declarations], ensure_ascii=False)
    return f"{request.system_instruction}\n{declared}"


def fixed_tokens(request: ModelRequest) -> int:
    """Return the tokens of instruction and declarations, which no chat changes: for example, 6,300 where all common tools are offered."""
    return tokens(_fixed_text(request))


def media_of(request: ModelRequest) -> int:
    """Return how many media the request holds."""
    return sum(len(one.parts) - len(one.texts) for one in request.contents if isinstance(one, MixedContent))


def stable_tokens(first: ModelRequest, second: ModelRequest) -> int:
    """Return the tokens of the requests' longest common prefix."""
    text, other_text = text_of(first), text_of(second)
    prefix_length = next(
        (index for index, (a, b) in enumerate(zip(text, other_text, strict=False)) if a != b),
        min(len(text), len(other_text)),
    )
    return tokens(text[:prefix_length])


def sdk_ms(request: ModelRequest) -> float:
    """Return the CPU time of the SDK for one request, as the median of several, the refused connection included."""
    settings: dict[str, Any] = {
        "api_key": FixedSecret("key"),
        "project_id": "",
        "location": None,
        "base_url": "http://127.0.0.1:9",
        "model": "gemini-3.5-flash-lite",
        "thinking_level": "low",
    }
    model = GeminiModel(GeminiSettings(**settings))
    times_ms: list[float] = []
    for _ in range(_RUNS):
        started_s = time.process_time()
        try:
            model.generate(request)
        except AizuchiError:
            times_ms.append((time.process_time() - started_s) * 1_000)
    return statistics.median(times_ms)


@dataclass(frozen=True, kw_only=True)
class Conversation:
    """The first requests of consecutive turns: their tokens, and those of the prefixes that a provider would bill as cached."""

    requests: int
    prompt_tokens: int
    cached_tokens: int

    @property
    def cached_share(self) -> float:
        """The share of the tokens that are billed as cached, from 0 to 1."""
        return self.cached_tokens / self.prompt_tokens


def conversation_of(requests: Sequence[ModelRequest]) -> Conversation:
    """Return the sums over the requests, each compared with the one before; a prefix below the provider's least length is not cached.

    For example, of two requests of 6,000 tokens with a common prefix of 5,800, 5,800 of 12,000 tokens are cached.
    """
    shared_prefixes = (stable_tokens(before, after) for before, after in pairwise(requests))
    return Conversation(
        requests=len(requests),
        prompt_tokens=sum(tokens(text_of(request)) for request in requests),
        cached_tokens=sum(prefix for prefix in shared_prefixes if prefix >= LEAST_CACHED_TOKENS),
    )


def play_conversation(pool: ThreadPoolExecutor) -> Conversation:
    """Play thirty turns of one chat: talk, and every fifth message files a note, so that the index changes."""
    bot = Bot(pool, is_group=False, toolsets=frozenset(), policy=GroupPolicy.MENTION)
    requests: list[ModelRequest] = []
    for number in range(_TURNS):
        if number % _FILED_EVERY:
            requests += bot.hears(bot.events.text(f"{number}番目の話。来週の引越しと庭の工事のことを少し。"), REPLY)[:1]
            continue
        note = f"{number}番目のメモ"
        filing = {"text": note, "category": "admin", "name": note, "confidence": 0.9}
        step = calling(("classify_and_capture", filing), ("reply", {"message": "わかりました。"}))
        requests += bot.hears(bot.events.text(f"{note}、覚えておいて"), step)[:1]
    return conversation_of(requests)


def input_dollars(prompt: int, *, cached: int) -> float:
    """Return the price of the input of 1,000 such requests."""
    return 1_000 * (dollars(_PRICED, Usage(prompt_tokens=prompt, cached_tokens=cached)) or 0.0)


def break_even_requests() -> float:
    """Return how many requests an hour pay for the storage of an explicitly cached prefix, if all other requests would miss the cache."""
    return (
        _STORAGE_DOLLARS_A_MILLION_HOUR
        * 1_000
        / (input_dollars(_MILLION, cached=0) - input_dollars(_MILLION, cached=_MILLION))
    )


def main() -> int:
    """Print the table."""
    with open("/dev/null", "w", encoding="utf-8") as nowhere, ThreadPoolExecutor(16) as pool:  # noqa: PTH123 - a device
        logs.configure(nowhere)
        print(
            "| situation | requests | tokens, all | tokens, first | fixed | stable prefix | contents | media | SDK, ms | $ | $, cached |"
        )
        print("|---|---|---|---|---|---|---|---|---|---|---|")
        for situation in SITUATIONS:
            bot = Bot(pool, is_group=situation.is_group, toolsets=situation.toolsets, policy=situation.policy)
            requests = list(situation.say(bot))
            mention = "@Aizuchi " if situation.is_group and situation.policy is GroupPolicy.MENTION else ""
            after = bot.hears(bot.events.text(f"{mention}それから?"), *situation.follow)
            first = requests[0]
            stable = stable_tokens(first, after[0])
            cells = (
                situation.name,
                len(requests),
                sum(tokens(text_of(request)) for request in requests),
                tokens(text_of(first)),
                fixed_tokens(first),
                stable,
                len(first.contents),
                media_of(first),
                f"{sdk_ms(first):.1f}",
                f"{input_dollars(tokens(text_of(first)), cached=0):.2f}",
                f"{input_dollars(tokens(text_of(first)), cached=stable):.2f}",
            )
            print(f"| {' | '.join(map(str, cells))} |")
        talk = play_conversation(pool)
    print(
        f"A conversation of {talk.requests} turns, every fifth files a note: {talk.prompt_tokens} tokens in, of which a provider that "
        f"caches prefixes of {LEAST_CACHED_TOKENS} tokens and more counts {talk.cached_share:.1%} as cached."
    )
    print(f"$: of the input of 1,000 first requests to {_PRICED}; cached: where the stable prefix is billed as cached.")
    print(f"An explicitly cached prefix pays from {break_even_requests():.1f} requests an hour on, of any length.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
