"""Videos: `watch_video` answers a question from the first minutes of a YouTube video whose link stands in a person's message.

A request of its own, without functions, has the video watched by Gemini at low resolution; the worker fetches nothing. The cost is
computed before the request and compared with the rest of the day's budget, because the API counts no tokens for a resolution
(googleapis/js-genai#1134). Below the reply the code says what was not seen, and what it cost.
"""

import re
from collections.abc import Callable
from typing import Final
from urllib.parse import parse_qs, urlsplit

from shared import logs
from shared.agent.model import Json
from shared.agent.tools import Cited, Tool, ToolFault, ToolResult, load_schema
from shared.agent.turn_context import TurnContext
from shared.conversation.provenance import WEB
from shared.conversation.spending import weighted_tokens
from shared.errors import ModelBlockedError, ModelRefusedError
from shared.line.phrases import Phrase, phrase
from shared.line.utf16 import without_lone_surrogates
from shared.metering import ModelUsage, Purpose, Usage
from shared.tools.link_port import ANSWER_LIMIT, LinkReader, LinkStatus
from shared.tools.link_questions import fault_of_question, readable_address

MINUTES: Final = 8
_TOKENS_A_SECOND: Final = 110
"""Of a frame a second in low resolution, with sound and time.  Source: Gemini API, "Video understanding": 66 to 70, 32 and 7 tokens."""
VIDEO_USAGE: Final = Usage(prompt_tokens=MINUTES * 60 * _TOKENS_A_SECOND + 1_000, output_tokens=1_024)
"""The most that a video can cost."""
_HOSTS: Final = frozenset({"youtube.com", "www.youtube.com", "m.youtube.com", "music.youtube.com"})
_SHORT_HOST: Final = "youtu.be"
_ID: Final = re.compile(r"[A-Za-z0-9_-]{11}")
_KINDS: Final = frozenset({"shorts", "live", "embed"})
_NO_VIDEO: Final = ToolFault(
    message="Not watched: the link leads to no single video of YouTube. Other links are for `read_link`.",
    may_retry=False,
)
_NOT_ASKED: Final = ToolFault(message="Not watched: nobody asked the bot about the video.", may_retry=False)
_UNSEEN: Final = ToolFault(
    message="Not watched: the video is not public, does not exist, or cannot be watched by the provider. Tell the person so, and that "
    "nothing of it was seen.",
    may_retry=False,
)


def video_at(address: str) -> str | None:
    """Return the address of the video that an address of YouTube names; None for any other page.

    For example, `video_at("https://youtu.be/9hE5-98ZeCg?t=30")` is `https://www.youtube.com/watch?v=9hE5-98ZeCg`.
    """
    parts = urlsplit(address)
    names = [name for name in parts.path.split("/") if name]
    video_id = ""
    if parts.hostname == _SHORT_HOST:
        video_id = names[0] if names else ""
    elif parts.hostname in _HOSTS and names == ["watch"]:
        video_id = parse_qs(parts.query).get("v", [""])[0]
    elif parts.hostname in _HOSTS and len(names) > 1 and names[0] in _KINDS:
        video_id = names[1]
    return f"https://www.youtube.com/watch?v={video_id}" if _ID.fullmatch(video_id) else None


def video_tools(reader: LinkReader, *, remaining_tokens: Callable[[], int | None], locale: str) -> tuple[Tool, ...]:
    """Return `watch_video`.  `remaining_tokens` returns the weighted tokens that may be spent today; None: no limit."""

    def watch(arguments: Json, context: TurnContext) -> ToolResult:
        video = _video_to_watch(str(arguments["url"]), context)
        if isinstance(video, ToolFault):
            return video
        question = without_lone_surrogates(str(arguments["question"]))
        fault = fault_of_question(question, context) or _fault_of_budget(reader.name, remaining_tokens())
        if fault is not None:
            return fault
        context.check_amendments()
        try:
            answer = reader.watch(video, question, MINUTES, context.deadline)
        except (ModelBlockedError, ModelRefusedError):
            return _UNSEEN
        if answer.status is not LinkStatus.READ:
            return _UNSEEN
        tokens = f"{_weighted(reader.name, answer.usage):,}"
        footnote = phrase(
            Phrase.VIDEO_WATCHED,
            locale=context.locale(default=locale),
            bot_name="",
            minutes=str(MINUTES),
            tokens=tokens,
        )
        return Cited(result={"status": "success", "answer": answer.text[:ANSWER_LIMIT]}, footnote=footnote)

    return (
        Tool(
            name="watch_video",
            description=(
                f"Watch the first {MINUTES} minutes of a YouTube video whose link a person wrote in this chat, and answer a question about "
                "it. It is costly: only when a person asks. What was not seen, and the cost, are added to your reply by this system."
            ),
            parameters=load_schema("watch_video.parameters"),
            response=load_schema("watch_video.response"),
            run=watch,
            is_reading=True,
            outside=WEB,
            most_calls=1,
        ),
    )


def _video_to_watch(link: str, context: TurnContext) -> str | ToolFault:
    """Return the address of the video that the model names, or why the video is not watched."""
    if context.is_overheard:
        return _NOT_ASKED
    address = readable_address(link, context)
    return address if isinstance(address, ToolFault) else video_at(address) or _NO_VIDEO


def _fault_of_budget(model_name: str, remaining: int | None) -> ToolFault | None:
    """Return the fault of a video that may cost more than what remains; nothing is asked then."""
    cost = _weighted(model_name, VIDEO_USAGE)
    if remaining is None or cost <= remaining:
        return None
    logs.info("video_not_watched", cost=cost, remaining=remaining)
    return ToolFault(
        message=f"Not watched: a video takes up to {cost:,} tokens of the budget, and {remaining:,} remain today. Tell the person so.",
        may_retry=False,
    )


def _weighted(model_name: str, usage: Usage) -> int:
    return weighted_tokens(
        ModelUsage(
            purpose=Purpose.LINK,
            model_name=model_name,
            prompt_tokens=usage.prompt_tokens,
            output_tokens=usage.output_tokens,
            thought_tokens=usage.thought_tokens,
        )
    )
