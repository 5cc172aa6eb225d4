"""No request to a model is made with an empty budget, whatever it is for."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from shared.access.budgets import Limits
from shared.adapters.memory.line_people import HeldContent
from shared.adapters.memory.scripted_model import calling
from shared.agent.model import FunctionResponses, JsonAnswer, JsonRequest, ModelRequest, ModelResponse, TextContent
from shared.bus.endpoint import PushEndpoint
from shared.clock import Deadline
from shared.composition.assembly import assemble
from shared.conversation.snapshot import MemoryLimits
from shared.knowledge.embeddings import Embedded, Kind
from shared.line.addressing import GroupPolicy
from shared.line.phrases import Phrase
from shared.metering import Purpose, Usage
from shared.tools.link_port import LinkAnswer, LinkStatus
from shared.tools.web import WebAnswer
from shared.translation.setting import TranslationSetting
from shared.translation.store import TranslationStore
from tests.support import push, recorded
from tests.support.people import ChatEvents
from tests.support.phrases import english
from tests.support.pushed import PushedWorker

COST = 100
ONE = Usage(prompt_tokens=COST)
MIDNIGHT = "midnight"
PICTURE = HeldContent(data=b"\xff\xd8 a red bicycle", content_type="image/jpeg")
SMALL = MemoryLimits(journalled=1, verbatim=1, summed_up=1, recaps_at_once=1)
CALLS = {
    "file": ("classify_and_capture", {"text": "buy milk"}),
    "find": ("search_entries", {"query": "a dairy product"}),
    "web": ("web_search", {"query": "weather"}),
    "https://a.example/": ("read_link", {"url": "https://a.example/", "question": "what is it?"}),
    "9hE5-98ZeCg": ("watch_video", {"url": "https://youtu.be/9hE5-98ZeCg", "question": "what is it?"}),
}


class Provider:
    """Every model of a deployment; it notes what each request is for, and what had been spent when the request began."""

    name = "provider"

    def __init__(self) -> None:
        self.made: list[tuple[Purpose, int]] = []

    @property
    def spent(self) -> int:
        return len(self.made) * COST

    @property
    def purposes(self) -> set[Purpose]:
        return {purpose for purpose, _ in self.made}

    def generate(self, request: ModelRequest) -> ModelResponse:
        self._note(request.purpose)
        if request.purpose is not Purpose.TURN:
            return replace(calling((request.declarations[0].name, {"text": "a summary"})), usage=ONE)
        last = request.contents[-1]
        said = "" if isinstance(last, FunctionResponses) else _last_text(request)
        call = next((call for word, call in CALLS.items() if said.endswith(word)), None)
        return replace(calling(call or ("reply", {"message": "やあ"})), usage=ONE)

    def answer_json(self, request: JsonRequest) -> JsonAnswer:
        self._note(request.purpose)
        return JsonAnswer(value={"category": "admin", "confidence": 0.9, "name": "buy milk"}, usage=ONE)

    def search(self, query: str, deadline: Deadline) -> WebAnswer:
        del query, deadline
        self._note(Purpose.SEARCH)
        return WebAnswer(text="sunny", usage=ONE)

    def read(self, address: str, question: str, deadline: Deadline) -> LinkAnswer:
        del address, question, deadline
        self._note(Purpose.LINK)
        return LinkAnswer(status=LinkStatus.READ, text="a page", usage=ONE)

    def watch(self, video: str, question: str, minutes: int, deadline: Deadline) -> LinkAnswer:
        del minutes
        return self.read(video, question, deadline)

    def embed(self, texts: Sequence[str], *, kind: Kind, deadline: Deadline) -> Embedded:
        del kind, deadline
        self._note(Purpose.EMBED)
        return Embedded(vectors=tuple([1.0, 2.0] for _ in texts), usage=ONE)

    def _note(self, purpose: Purpose) -> None:
        self.made.append((purpose, self.spent))


def _last_text(request: ModelRequest) -> str:
    texts = [one for content in request.contents if isinstance(content, TextContent) for one in content.texts]
    return next((one for one in reversed(texts) if one.rstrip().endswith(tuple(CALLS))), "").rstrip()


class Deployment:
    """A worker whose every model is the provider, in a chat of one person."""

    def __init__(self, pool: ThreadPoolExecutor, limits: Limits, *, is_group: bool = False, **options: Any) -> None:  # noqa: ANN401
        self.worker = PushedWorker(pool, limits=limits, memory=SMALL, **options)
        self.provider = Provider()
        self.events = ChatEvents(is_group=is_group)
        models = dict.fromkeys(("model", "json_model", "translating_model", "web", "links", "embedder"), self.provider)
        ports = replace(self.worker.ports, **models)  # type: ignore[arg-type]
        self._endpoint = PushEndpoint(handle=assemble(ports, self.worker.options), clock=self.worker.clock)

    def says(self, text: str) -> None:
        self.sends(self.events.text(text))

    def sends_picture(self) -> None:
        event = self.events.event("message", message={"type": "image", "contentProvider": {"type": "line"}})
        self.worker.media.contents[event["message"]["id"]] = PICTURE
        self.sends(event)

    def sends(self, event: dict[str, Any]) -> None:
        self.worker.clock.move(1)
        assert self._endpoint("POST", push.envelope(event))[1] == 204

    def lives(self) -> None:
        """People do what has a model asked for every purpose, but for the search for what is refused."""
        self.says("hello")
        self.says("please file")
        self.says("please find")
        self.says("please web")
        self.says("please read https://a.example/")
        self.sends_picture()
        for _ in range(3):
            self.says("hello")


def test_a_day_without_limits_asks_models_for_every_purpose(pool: ThreadPoolExecutor) -> None:
    deployment = Deployment(pool, Limits(turns_per_chat_day=0, tokens_per_chat_day=0, tokens_per_day=0))

    deployment.lives()

    assert deployment.provider.purposes == set(Purpose) - {Purpose.PROBE, Purpose.TRANSLATE}


@pytest.mark.parametrize("limits", [{"tokens_per_chat_day": 60_000}, {"tokens_per_day": 60_000}, {"tokens_per_day": 0}])
def test_a_video_is_watched_only_if_the_budget_has_room_for_all_of_it(
    pool: ThreadPoolExecutor, limits: dict[str, int]
) -> None:
    none = {"turns_per_chat_day": 0, "tokens_per_chat_day": 0, "tokens_per_day": 0}
    deployment = Deployment(pool, Limits(**{**none, **limits}))

    deployment.says("please watch https://youtu.be/9hE5-98ZeCg")

    assert (Purpose.LINK in deployment.provider.purposes) == (0 in limits.values())
    assert deployment.provider.made[-1][0] is Purpose.TURN


@pytest.mark.parametrize("tokens_per_chat_day", [0, COST])
def test_members_are_translated_within_the_budget_of_their_group(
    pool: ThreadPoolExecutor, tokens_per_chat_day: int
) -> None:
    limits = Limits(turns_per_chat_day=0, tokens_per_chat_day=tokens_per_chat_day, tokens_per_day=0)
    deployment = Deployment(pool, limits, is_group=True)
    setting = TranslationSetting(languages=("en", "th"), since_ms=0, all_since_ms=0, changed_ms=0)
    TranslationStore(deployment.worker.conversations.of(recorded.GROUP)).update(lambda _: setting)

    deployment.says("@Aizuchi hello")
    deployment.says("see you tomorrow")

    has_budget = not tokens_per_chat_day
    assert deployment.provider.purposes == {Purpose.TURN} | ({Purpose.TRANSLATE} if has_budget else set())


@pytest.mark.parametrize("requests", range(1, 26))
@pytest.mark.parametrize("whose", ["tokens_per_chat_day", "tokens_per_day"])
def test_no_request_is_made_with_an_empty_budget(pool: ThreadPoolExecutor, requests: int, whose: str) -> None:
    limit = requests * COST
    nothing = {"turns_per_chat_day": 0, "tokens_per_chat_day": 0, "tokens_per_day": 0}
    deployment = Deployment(pool, Limits(**{**nothing, whose: limit}))

    deployment.lives()

    assert [made for made in deployment.provider.made if made[1] >= limit] == []


def test_a_turn_that_spends_the_rest_of_its_budget_says_so(pool: ThreadPoolExecutor) -> None:
    deployment = Deployment(pool, Limits(tokens_per_chat_day=COST))

    deployment.says("please find")
    deployment.says("please find")

    assert deployment.worker.said == [english(Phrase.LIMIT_REACHED, hour=MIDNIGHT)]
    assert deployment.provider.made == [(Purpose.TURN, 0)]


def test_an_interjection_that_spends_the_rest_of_the_budget_stays_silent(pool: ThreadPoolExecutor) -> None:
    deployment = Deployment(pool, Limits(tokens_per_chat_day=COST), is_group=True, group_policy=GroupPolicy.MODEL)

    deployment.says("please find")
    assert deployment.worker.said == []

    deployment.says("@Aizuchi hello")
    assert deployment.worker.said == [english(Phrase.LIMIT_REACHED, hour=MIDNIGHT)]


def test_the_last_turn_of_a_day_may_ask_more_than_once(pool: ThreadPoolExecutor) -> None:
    deployment = Deployment(pool, Limits(turns_per_chat_day=1))

    deployment.says("please find")

    assert deployment.worker.said == ["やあ"]


def test_after_the_last_turn_of_a_day_nothing_is_summed_up_or_described(pool: ThreadPoolExecutor) -> None:
    deployment = Deployment(pool, Limits(turns_per_chat_day=2))
    deployment.says("hello")
    deployment.sends_picture()

    for _ in range(4):
        deployment.says("hello")

    assert {one for one, _ in deployment.provider.made} == {Purpose.TURN}
    assert deployment.worker.conversations.of(recorded.USER).snapshot.read().record.recaps == ()
