import pytest

from shared.adapters.memory import FixedClock, MemoryNotion
from shared.clock import Deadline
from shared.tools.notion.databases import Databases, Kept, LookedUp
from shared.tools.notion.port import NotionRefusedError
from shared.tools.notion.properties import UnfitValueError
from tests.support.notion import SHOPPING, TODO, shopping_list, todo_list


@pytest.fixture
def notion() -> MemoryNotion:
    return MemoryNotion(FixedClock(), people=["ゆき", "Ken", "ken"])


def looked_up(notion: MemoryNotion, **ids: str) -> LookedUp:
    clock = FixedClock()
    databases = Databases(api=notion, ids=ids, kept=Kept(clock))
    return LookedUp(databases=databases, deadline=Deadline.after(clock, 5))


def titled(title: str) -> dict[str, dict[str, object]]:
    return {"品名": {"title": [{"type": "text", "text": {"content": title}}]}}


def test_a_person_is_found_by_name(notion: MemoryNotion) -> None:
    people = {person.name: person.user_id for person in notion.people(Deadline.after(FixedClock(), 5))}

    assert looked_up(notion).person_id(" ゆき ") == people["ゆき"]


def test_who_is_unknown_is_told_with_who_there_is(notion: MemoryNotion) -> None:
    with pytest.raises(UnfitValueError, match=r'"Mari" there\. There are: "ゆき", "Ken", "ken"\.'):
        looked_up(notion).person_id("Mari")


def test_a_name_that_two_have_says_nothing(notion: MemoryNotion) -> None:
    with pytest.raises(UnfitValueError, match='Several are called "KEN"'):
        looked_up(notion).person_id("KEN")


def test_a_page_is_found_by_its_whole_title(notion: MemoryNotion) -> None:
    notion.add_database(shopping_list())
    milk = notion.add_page(SHOPPING, titled("牛乳"))
    notion.add_page(SHOPPING, titled("牛乳プリン"))

    assert looked_up(notion).page_id(SHOPPING, "牛乳") == milk.page_id
    with pytest.raises(UnfitValueError, match='Nobody and nothing is called "プリン"'):
        looked_up(notion).page_id(SHOPPING, "プリン")
    notion.add_page(SHOPPING, titled("牛乳"))
    with pytest.raises(UnfitValueError, match="Several are called"):
        looked_up(notion).page_id(SHOPPING, "牛乳")


def test_a_page_lies_in_a_database_whichever_of_its_ids_was_configured(notion: MemoryNotion) -> None:
    database_id = notion.add_database(shopping_list())
    notion.add_database(todo_list())
    page = notion.add_page(SHOPPING, titled("牛乳"))
    deadline = Deadline.after(FixedClock(), 5)

    assert looked_up(notion, shop=database_id).databases.name_of(page, deadline) == "shop"
    assert looked_up(notion, shop=SHOPPING).databases.name_of(page, deadline) == "shop"
    assert looked_up(notion, todo=TODO).databases.name_of(page, deadline) is None


def test_a_page_of_a_database_with_several_data_sources_is_refused_as_the_database_is(notion: MemoryNotion) -> None:
    database_id = notion.add_database(shopping_list(), todo_list())
    page = notion.add_page(SHOPPING, titled("牛乳"))

    with pytest.raises(NotionRefusedError):
        looked_up(notion, both=database_id).databases.name_of(page, Deadline.after(FixedClock(), 5))
