import pytest

from shared.adapters.memory import FixedClock, MemoryNotion
from shared.clock import Deadline
from shared.tools.notion.databases import Databases, ReferenceLookup, TtlCache
from shared.tools.notion.port import NotionRefusedError
from shared.tools.notion.properties import UnfitValueError
from tests.support.notion import SHOPPING, TODO, shopping_list, todo_list


@pytest.fixture
def notion() -> MemoryNotion:
    return MemoryNotion(FixedClock(), people=["ゆき", "Ken", "ken"])


def lookup(notion: MemoryNotion, **ids: str) -> ReferenceLookup:
    clock = FixedClock()
    databases = Databases(api=notion, ids=ids, cache=TtlCache(clock))
    return ReferenceLookup(databases=databases, deadline=Deadline.after(clock, 5))


def title_of(title: str) -> dict[str, dict[str, object]]:
    return {"品名": {"title": [{"type": "text", "text": {"content": title}}]}}


def test_a_person_is_found_by_name(notion: MemoryNotion) -> None:
    people = {person.name: person.user_id for person in notion.people(Deadline.after(FixedClock(), 5))}

    assert lookup(notion).person_id(" ゆき ") == people["ゆき"]


def test_an_unknown_person_is_refused_with_the_known_ones(notion: MemoryNotion) -> None:
    with pytest.raises(UnfitValueError, match=r'"Mari" there\. There are: "ゆき", "Ken", "ken"\.'):
        lookup(notion).person_id("Mari")


@pytest.mark.parametrize(
    ("part", "name"),
    [("田中", "田中 太郎"), ("Suda", "Suda Chai"), ("chai", "Suda Chai"), ("太郎さん", "田中 太郎"), ("ken", "Ken")],
)
def test_a_person_is_found_by_a_part_of_the_name_if_it_fits_only_one(part: str, name: str) -> None:
    notion = MemoryNotion(FixedClock(), people=["田中 太郎", "田島 花子", "Suda Chai", "Ken", "Kenji Mori"])
    people = {person.name: person.user_id for person in notion.people(Deadline.after(FixedClock(), 5))}

    assert lookup(notion).person_id(part) == people[name]


@pytest.mark.parametrize("part", ["田", "Ke", "e"])
def test_a_part_that_fits_several_people_is_refused_with_these(part: str) -> None:
    notion = MemoryNotion(FixedClock(), people=["田中 太郎", "田島 花子", "Suda Chai", "Ken", "Kenji Mori"])

    with pytest.raises(UnfitValueError, match=r"Several|Nobody"):
        lookup(notion).person_id(part)


def test_an_empty_name_fits_nobody(notion: MemoryNotion) -> None:
    with pytest.raises(UnfitValueError, match="Nobody"):
        lookup(notion).person_id("  ")


def test_an_ambiguous_name_is_refused(notion: MemoryNotion) -> None:
    with pytest.raises(UnfitValueError, match='Several are called "KEN"'):
        lookup(notion).person_id("KEN")


def test_a_page_is_found_by_its_full_title_only(notion: MemoryNotion) -> None:
    notion.add_database(shopping_list())
    milk = notion.add_page(SHOPPING, title_of("牛乳"))
    notion.add_page(SHOPPING, title_of("牛乳プリン"))

    assert lookup(notion).page_id(SHOPPING, "牛乳") == milk.page_id
    with pytest.raises(UnfitValueError, match='Nobody and nothing is called "プリン"'):
        lookup(notion).page_id(SHOPPING, "プリン")
    notion.add_page(SHOPPING, title_of("牛乳"))
    with pytest.raises(UnfitValueError, match="Several are called"):
        lookup(notion).page_id(SHOPPING, "牛乳")


def test_a_page_is_in_a_database_configured_by_either_id(notion: MemoryNotion) -> None:
    database_id = notion.add_database(shopping_list())
    notion.add_database(todo_list())
    page = notion.add_page(SHOPPING, title_of("牛乳"))
    deadline = Deadline.after(FixedClock(), 5)

    assert lookup(notion, shop=database_id).databases.name_of(page, deadline) == "shop"
    assert lookup(notion, shop=SHOPPING).databases.name_of(page, deadline) == "shop"
    assert lookup(notion, todo=TODO).databases.name_of(page, deadline) is None


def test_a_page_in_an_ambiguous_database_is_refused(notion: MemoryNotion) -> None:
    database_id = notion.add_database(shopping_list(), todo_list())
    page = notion.add_page(SHOPPING, title_of("牛乳"))

    with pytest.raises(NotionRefusedError):
        lookup(notion, both=database_id).databases.name_of(page, Deadline.after(FixedClock(), 5))
