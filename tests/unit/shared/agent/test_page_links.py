"""Links that only a page gave, and how many of them a reply may hold."""

import pytest

from shared.agent.taint import UntrustedInput

PAGE = "\n".join(f"https://e.vil/{number}" for number in range(10))


@pytest.fixture
def untrusted_input() -> UntrustedInput:
    """A turn that has read a page of ten links."""
    read = UntrustedInput()
    read.record_outside("web")
    read.record({"text": PAGE}, is_outside=True)
    return read


def of(*numbers: int) -> str:
    return "見て " + " ".join(f"https://e.vil/{number}" for number in numbers)


@pytest.mark.parametrize("numbers", [(4, 7, 1, 1), (1, 1, 1, 1), (9, 8, 7, 6), (0, 2, 4, 6), (3, 4, 5, 6, 8)])
def test_many_links_of_a_page_in_another_choice_or_order_are_said_of_none(
    untrusted_input: UntrustedInput, numbers: tuple[int, ...]
) -> None:
    text, strange = untrusted_input.without_strange_links(of(*numbers), instead="…")

    assert (text, strange) == ("見て " + " ".join("…" for _ in numbers), len(numbers))


@pytest.mark.parametrize("numbers", [(4,), (7, 1), (9, 0, 9), (0, 1, 2, 3), (5, 6, 7, 8, 9), tuple(range(10))])
def test_few_links_of_a_page_or_a_run_of_them_may_be_said(
    untrusted_input: UntrustedInput, numbers: tuple[int, ...]
) -> None:
    assert untrusted_input.without_strange_links(of(*numbers)) == (of(*numbers), 0)


def test_hosts_below_one_domain_are_one_site() -> None:
    read = UntrustedInput()
    read.record("\n".join(f"https://{number}.e.vil/" for number in range(10)), is_outside=True)

    assert read.without_strange_links("https://4.e.vil/ https://7.e.vil/ 1.e.vil/ https://1.e.vil/")[1] == 4


@pytest.mark.parametrize("is_before", [True, False])
def test_links_that_a_person_gave_too_may_be_said_in_any_order(*, is_before: bool) -> None:
    read = UntrustedInput()
    for is_outside in (False, True) if is_before else (True, False):
        read.record(PAGE, is_outside=is_outside)

    assert read.without_strange_links(of(4, 7, 1, 1))[1] == 0
