"""Mutations of links."""

from collections.abc import Mapping
from typing import Final

from tests.simulation.mutation import Mutation
from tests.simulation.rules import DropArgument, Instead, Skip

OF_LINKS: Final[Mapping[str, Mutation]] = {
    "reads_links_of_people_only": Mutation(
        "shared.tools.links:readable_address",
        Instead("address_in", lambda _, link: link),
        lacks="a page that only another page names is read, with words of the chat in its address",
    ),
    "marks_pages_as_outside": Mutation(
        "shared.composition.features:link_tools",
        DropArgument("Tool", "outside"),
        lacks="a page's order is carried out as if a member had given it",
    ),
    "looks_before_a_page_is_read": Mutation(
        "shared.composition.features:link_tools",
        Skip("check_amendments"),
        lacks="a page is asked for whose link was taken back while the model thought",
    ),
}
