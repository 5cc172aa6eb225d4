"""Which tools a deployment has, and which guides tell the model when to use them."""

from dataclasses import replace
from typing import Any

import pytest

from shared.adapters.memory import FixedClock, MemoryNotion
from shared.adapters.memory.link_pages import MemoryLinkReader
from shared.agent.chat_memory import ChatMemory
from shared.agent.people import People
from shared.agent.tools import Tool
from shared.composition.features import Features
from shared.composition.ports import NotionPort
from shared.features.chat_feature import ChatFeature
from shared.features.expenses import EXPENSES
from shared.features.polls import POLLS
from shared.features.reminders import REMINDERS
from shared.features.stored_features import STORED_FEATURES
from shared.line.bot_name import BotName
from shared.line.display_names import DisplayNames
from shared.metering import Metering
from shared.tools.guides.knowledge import KNOWLEDGE_GUIDE
from shared.tools.guides.links import LINKS_GUIDE
from shared.tools.guides.memory import MEMORY_GUIDE
from shared.tools.guides.notion import notion_guide
from shared.tools.guides.reminders import REMINDERS_GUIDE
from shared.tools.guides.web import WEB_GUIDE
from shared.tools.reminders import ReminderTools
from tests.support.pushed import PushedWorker


class NoWeb:
    """A web in which nothing is found."""


NOTION = NotionPort(api=MemoryNotion(FixedClock()), databases={"shopping": "id"}, conversations=None)
NOTHING: dict[str, Any] = {"json_model": None, "web": None, "links": None, "notion": None}


def features_of(worker: PushedWorker, reminders: tuple[Tool, ...] = (), **ports: Any) -> Features:  # noqa: ANN401 - fields of Ports
    metering = Metering(clock=worker.clock)
    feature = ChatFeature(name="reminders", tools=reminders, guide=REMINDERS_GUIDE)
    available = replace(worker.ports, **{**NOTHING, **ports})
    return Features.of(available, worker.options, metering, memory_of(worker), feature)


def memory_of(worker: PushedWorker) -> ChatMemory:
    names = DisplayNames(profiles=worker.profiles, threads=worker.ports.threads.names)
    people = People(display_names=names, bot_name=BotName(account=worker.line, configured="Aizuchi"))
    return ChatMemory(people=people, time_zone=worker.options.time_zone, locale="ja")


@pytest.mark.parametrize(
    ("ports", "tool", "guide"),
    [
        ({"json_model": "here"}, "classify_and_capture", KNOWLEDGE_GUIDE),
        ({"web": NoWeb()}, "web_search", WEB_GUIDE),
        ({"links": MemoryLinkReader()}, "read_link", LINKS_GUIDE),
        ({"notion": NOTION}, "create_page", notion_guide(NOTION.databases)),
    ],
)
def test_a_toolset_and_its_guide_come_with_its_port(
    worker: PushedWorker, ports: dict[str, Any], tool: str, guide: str
) -> None:
    if "json_model" in ports:
        ports = {"json_model": worker.json_model}
    without, with_port = features_of(worker), features_of(worker, **ports)

    assert tool not in {one.name for one in without.tools}
    assert tool in {one.name for one in with_port.tools}
    assert (without.guides, with_port.guides) == ((MEMORY_GUIDE,), (MEMORY_GUIDE, guide))


def test_reminders_bring_their_guide(worker: PushedWorker) -> None:
    tools = ReminderTools(costs=None).tools()

    toolsets = features_of(worker, tools)

    assert {one.name for one in tools} <= {one.name for one in toolsets.tools}
    assert toolsets.guides == (MEMORY_GUIDE, REMINDERS_GUIDE)


def test_what_the_features_store_is_what_the_operators_and_the_unsend_function_know(worker: PushedWorker) -> None:
    offered = Features.of(
        worker.ports,
        worker.options,
        Metering(clock=worker.clock),
        memory_of(worker),
        ChatFeature(name="reminders", stored=REMINDERS),
        ChatFeature(name="expenses", stored=EXPENSES),
        ChatFeature(name="polls", stored=POLLS),
    )

    assert [one.folder for one in offered.stored] == [one.folder for one in STORED_FEATURES]
