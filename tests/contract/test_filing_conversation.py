"""Conversations that file, correct, search and undo, through agent loop, tools and entries; the real client calls the stand-in."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from shared.adapters.gemini import GeminiModel
from shared.adapters.memory import FixedClock
from shared.agent.executor import ToolExecutor
from shared.agent.loop import Agent
from shared.agent.prompt import PromptBuilder
from shared.agent.registry import Registry
from shared.agent.turn_requests import Limits
from shared.conversation.amendments import Amendments
from shared.conversation.history import History
from shared.knowledge.prompt_index import KnowledgeIndex
from shared.settings.agent_worker import GeminiSettings
from shared.settings.secret import FixedSecret
from shared.tools.core import core_tools
from shared.tools.guides.knowledge import KNOWLEDGE_GUIDE
from simulator.gemini.app import GeminiStandIn
from tests.support.knowledge import MOMO, TOKYO, FilingChat, message
from tests.support.serving import served

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shared.conversation.records import MessageRecord, OutcomeRecord


@pytest.fixture(scope="module")
def model() -> Iterator[GeminiModel]:
    with served(GeminiStandIn().app) as running:
        yield GeminiModel(
            GeminiSettings(
                api_key=FixedSecret("k"),
                model="gemini-3.5-flash-lite",
                thinking_level="low",
                project_id="p",
                location=None,
                base_url=running.url,
            )
        )


class Dialogue:
    """A conversation of one person with the bot, turn by turn."""

    def __init__(self, model: GeminiModel, threads: ThreadPoolExecutor) -> None:
        self.filing = FilingChat(classifies_with=model)
        self.messages: list[MessageRecord] = []
        self.outcomes: list[OutcomeRecord] = []
        tools = Registry((*core_tools(), *self.filing.tools.values()))
        self.agent = Agent(
            model=model,
            tools=ToolExecutor(registry=tools, threads=threads),
            limits=Limits(),
            clock=FixedClock(),
            chance=random.Random(1),
        )

    def say(self, words: str) -> str | None:
        """Send the words and return the answer of the bot."""
        number = len(self.messages) + 1
        asked = message(number, words)
        turn = self.filing.begin(asked, earlier=self.messages)
        index = KnowledgeIndex(is_shown=True).read(self.filing.conversation).view(Amendments())
        history = History(messages=tuple(self.messages), outcomes=tuple(self.outcomes), index=index)
        prompt = PromptBuilder(bot_name=MOMO, guides=(KNOWLEDGE_GUIDE,), time_zone=TOKYO)
        contents = prompt.contents(history, pending=(asked,), now_ms=number * 60_000)
        system = prompt.system_instruction()
        decision = self.agent.think(system, contents, turn.context).decision
        self.messages.append(asked)
        self.outcomes.append(replace(turn.commit(), timestamp_ms=asked.timestamp_ms, text=decision.message))
        return decision.message


@pytest.fixture
def dialogue(model: GeminiModel) -> Iterator[Dialogue]:
    with ThreadPoolExecutor(4) as threads:
        yield Dialogue(model, threads)


def test_a_japanese_conversation_uses_every_knowledge_tool(dialogue: Dialogue) -> None:
    assert dialogue.say("こんにちは") == "こんにちは！何かお手伝いできることはありますか？"
    assert (
        dialogue.say("庭の工事は来週の月曜から、覚えておいて")
        == "「庭の工事は来週の月曜から」をプロジェクトに書きとめました。"
    )
    assert dialogue.say("佐藤さんは造園の職人、メモして") == "「佐藤さんは造園の職人」を人に書きとめました。"
    assert dialogue.say("牛乳を買うってメモして") == "「牛乳を買う」を用事に書きとめました。"
    assert (
        dialogue.say("金曜のことを覚えておいて") == "「金曜のこと」はひとまず受信箱に入れました。アイデアでいいですか？"
    )
    assert dialogue.say("やっぱりプロジェクトにして") == "プロジェクトに移しました。"
    assert dialogue.say("プロジェクトの一覧を見せて") == "2件あります：金曜のこと、庭の工事は来週の月曜から"
    assert dialogue.say("庭の工事の期限は2026-12-01です") == "更新しました。"
    assert dialogue.say("庭の工事に「雨なら延期」と追記して") == "更新しました。"
    details = dialogue.say("庭の工事について教えて")
    assert details is not None
    assert "2026-12-01" in details
    assert "雨なら延期" in details
    assert dialogue.say("ゾウエンを検索して") == "見つかりませんでした。"
    assert dialogue.say("牛乳は終わった") == "更新しました。"
    digest = dialogue.say("今日のまとめをお願い")
    assert digest is not None
    assert "【小さな前進】" in digest
    assert dialogue.say("金曜のことを消して") == "「金曜のこと」を消しました。"
    assert "projects/金曜のこと.md" not in dialogue.filing.paths
    assert dialogue.say("やっぱり戻して") == "元に戻しました。"

    assert dialogue.filing.paths == [
        "admin/牛乳を買う.md",
        "people/佐藤さんは造園の職人.md",
        "projects/庭の工事は来週の月曜から.md",
        "projects/金曜のこと.md",
    ]


def test_an_english_conversation_files_searches_changes_and_undoes(dialogue: Dialogue) -> None:
    assert dialogue.say("Please remember that the renovation starts on Monday.") == (
        "I filed “the renovation starts on…” under projects."
    )
    assert dialogue.say("note: buy milk") == "I filed “buy milk” under admin."
    assert dialogue.say("search for renovation") == "1 found: the renovation starts on…"
    assert dialogue.say("mark the milk as done") == "Updated."
    assert dialogue.say("delete the milk") == "I deleted “buy milk”."
    assert dialogue.say("undo that") == "It is as it was before."
    assert dialogue.say("show me my tasks") == "1 found: buy milk"
    assert dialogue.say("my weekly review please") is not None


def test_an_earlier_message_can_be_filed_on_request(dialogue: Dialogue) -> None:
    dialogue.say("駐輪場の番号は4711")

    dialogue.say("今の覚えておいて")

    assert "駐輪場の番号は4711" in dialogue.filing.file_text(dialogue.filing.paths[0])
    entry = dialogue.filing.entry(dialogue.filing.paths[0])
    assert entry is not None
    assert entry.provenance.message_ids == {"m1", "m2"}


def test_a_category_named_by_the_person_is_used(dialogue: Dialogue) -> None:
    assert dialogue.say("[idea] 庭の工事、覚えておいて") == "「庭の工事」をアイデアに書きとめました。"
