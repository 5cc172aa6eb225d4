"""Lists in Notion and web search, through the real functions and the real notion-client, against stand-ins."""

import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from simulator.gemini.request import GenerateContentRequest
from simulator.gemini.script import Step, call, dropped, from_request
from simulator.notion.lists import lists_view
from simulator.notion.switches import Fault as NotionFault
from simulator.stack import NOTION_TOKEN, LocalStack
from simulator.storage import Fault as StorageFault
from tests.e2e.conftest import Person, Platform
from tests.support.stacks import running_stack


def pages(platform: Platform, title: str) -> list[dict[str, Any]]:
    """Return the pages with this title in all lists, as the simulator's page shows them."""
    lists = platform.do(lambda stack: lists_view(stack.notion.workspace))
    return [page for database in lists for page in database["pages"] if page["title"] == title]


@pytest.fixture(autouse=True)
def notion_without_faults(platform: Platform) -> Iterator[None]:
    yield
    platform.do(lambda stack: stack.notion.faults.clear())


def test_an_item_is_added_to_the_named_list(platform: Platform, person: Person) -> None:
    person.says("買い物リストに牛乳を追加して")

    assert person.hears_next(after=0) == "「牛乳」をリストに追加しました。\n\n✓ Notionに追加：「牛乳」"
    assert [page["is_done"] for page in pages(platform, "牛乳")] == [False]


def test_a_bought_item_is_found_and_ticked_off_in_one_turn(platform: Platform, person: Person) -> None:
    person.says("買い物リストに食パンを追加して")
    person.hears_next(after=0)
    before = platform.do(lambda stack: stack.line.replies_with_effect)

    person.says("食パンは買ったよ")

    assert person.hears_next(after=1) == "「食パン」を完了にしました。\n\n✓ Notionで変更：「食パン」"
    assert [page["is_done"] for page in pages(platform, "食パン")] == [True]
    assert platform.do(lambda stack: stack.line.replies_with_effect) - before == 1
    person.says("買い物リストを見せて")
    assert "食パン ✓" in person.hears_next(after=2)


def test_a_list_that_the_chat_shares_is_shown_although_notion_has_one_of_its_name(
    platform: Platform, person: Person
) -> None:
    person.says("買い物リストに牛乳と卵を入れて")
    platform.settle()
    told = len(person.hears())

    person.says("買い物リストを見せて")
    platform.settle()

    *_, card = person.hears()[told:]
    assert card.startswith("買い物")
    assert "牛乳" in card
    assert "卵" in card


def test_a_failed_call_is_told_in_words_for_people(person: Person) -> None:
    person.says("幻のリストを見せて")

    assert person.hears_next(after=0) == "そのリストは見つかりませんでした。"


def test_a_rate_limit_of_notion_only_delays_the_answer(platform: Platform, person: Person) -> None:
    platform.do(
        lambda stack: stack.notion.faults.add(
            NotionFault(method="POST", path="pages", nth=1, error_status=429, retry_after_s=1)
        )
    )

    person.says("買い物リストに卵を追加して")

    assert "卵" in person.hears_next(after=0)
    assert len(pages(platform, "卵")) == 1


def test_a_lost_answer_of_notion_creates_no_second_page(platform: Platform, person: Person) -> None:
    platform.do(lambda stack: stack.notion.faults.add(NotionFault(method="POST", path="pages", nth=1, answer="cut")))
    person.says("買い物リストにバナナを追加して")
    assert "できたかどうか、確認できませんでした。" in person.hears_next(after=0)

    platform.settle()

    assert len(pages(platform, "バナナ")) == 1


def test_an_unsend_removes_the_words_from_recorded_calls(platform: Platform, person: Person) -> None:
    message = person.says("やることリストに秘密の誕生会を追加して")
    person.hears_next(after=0)
    kept = [data for name, data in platform.bucket().items() if name.startswith(f"calls/{person.id}/")]
    assert any("秘密の誕生会".encode() in data for data in kept)

    person.unsends(message)
    platform.settle()

    assert not any("秘密の誕生会".encode() in data for data in platform.bucket().values())


def test_logs_hold_neither_the_token_nor_list_items(platform: Platform, person: Person) -> None:
    platform.do(
        lambda stack: stack.notion.faults.add(NotionFault(method="POST", path="pages", nth=1, error_status=403))
    )
    person.says("買い物リストにひみつを追加して")
    person.hears_next(after=0)
    person.says("買い物リストにないしょを追加して")
    person.hears_next(after=1)

    log = (platform.folder / "logs" / "agent_worker.log").read_text(encoding="utf-8")

    assert "notion_refused" in log
    assert not [secret for secret in (NOTION_TOKEN, "ひみつ", "ないしょ") if secret in log]


def test_a_search_is_answered_with_its_sources(platform: Platform, person: Person) -> None:
    person.says("紅葉の見頃を調べて")
    platform.settle()

    answer = "\n".join(person.hears())  # several bubbles, because a link is never cut

    assert "「紅葉の見頃」を調べました。" in answer
    assert "[1] example.com\nhttps://example.com/stand-in" in answer
    assert "https://www.google.com/search?q=" in answer


@pytest.fixture(scope="module")
def short_leases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    folder = tmp_path_factory.mktemp("killable-lists")
    with running_stack(folder, more_env={"SETTLE_MS": "0", "LEASE_S": "2"}) as (loop, stack):
        yield Platform(loop, stack, folder)


class RestartableWorker:
    """A worker that is killed (SIGKILL) when one of its requests reaches a stand-in, and then restarted."""

    def __init__(self, platform: Platform) -> None:
        self.platform = platform
        self.person = Person(platform, "patient")

    def kill(self) -> None:
        os.killpg(self.platform.stack.children["agent_worker"].pid, signal.SIGKILL)

    def revive(self) -> None:
        child = self.platform.stack.children["agent_worker"]
        self.platform.run(child.ended())
        self.platform.run(child.start())
        self.platform.settle()


@pytest.fixture
def restartable(short_leases: Platform) -> Iterator[RestartableWorker]:
    yield RestartableWorker(short_leases)
    short_leases.reset()
    short_leases.do(lambda stack: stack.notion.faults.clear())


CREATE = NotionFault(method="POST", path="pages", nth=1)
NOTE = StorageFault(operation="insert", prefix="calls/")
MOMENTS: dict[str, Callable[[LocalStack, Callable[[], None]], None]] = {
    "intent": lambda stack, kill: stack.storage.faults.add(replace(NOTE, nth=1, took_effect=kill)),
    "request": lambda stack, kill: stack.notion.faults.add(replace(CREATE, arrived=kill)),
    "page": lambda stack, kill: stack.notion.faults.add(replace(CREATE, took_effect=kill, answer="cut")),
    "result": lambda stack, kill: stack.storage.faults.add(replace(NOTE, nth=2, arrived=kill)),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_worker_killed_between_create_and_answer_leaves_one_page(moment: str, restartable: RestartableWorker) -> None:
    restartable.platform.do(lambda stack: MOMENTS[moment](stack, restartable.kill))

    restartable.person.says(f"買い物リストに{moment}を追加して")
    restartable.revive()

    assert len(pages(restartable.platform, moment)) == 1
    assert restartable.person.hears() == [f"「{moment}」をリストに追加しました。\n\n✓ Notionに追加：「{moment}」"]


def test_a_worker_killed_after_a_write_reports_it_to_its_successor(restartable: RestartableWorker) -> None:
    def die(_: GenerateContentRequest) -> Step:
        restartable.kill()
        return dropped()

    create = call("create_page", {"database_name": "shopping_list", "title": "醤油"})
    restartable.platform.do(lambda stack: stack.gemini.script([create, from_request(die)]))

    restartable.person.says("買い物リストに醤油を追加して")
    restartable.revive()

    assert len(pages(restartable.platform, "醤油")) == 1
    assert restartable.person.hears() == ["「醤油」をリストに追加しました。\n\n✓ Notionに追加：「醤油」"]
    bodies = restartable.platform.do(
        lambda stack: [str(one.request.body) for one in stack.gemini.requests if one.request]
    )
    assert any("already did create_page" in body for body in bodies)
