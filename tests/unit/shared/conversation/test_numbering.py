from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from shared.conversation.numbering import Numbered
from shared.conversation.provenance import Provenance

IDS = ["m1", "m2", "e1", "press-5"]
PROVENANCES = st.builds(
    Provenance,
    messages=st.fixed_dictionaries(
        {}, optional={"member-1": st.dictionaries(st.sampled_from(IDS), st.integers(0, 20), min_size=1)}
    ),
    derived_ids=st.frozensets(st.sampled_from(IDS)),
)


@given(st.dictionaries(st.sampled_from(["e7", "e8", "e9"]), PROVENANCES))
def test_sources_are_read_as_they_were_numbered_and_a_press_stays_apart_from_its_answer(
    provenances: dict[str, Provenance],
) -> None:
    """The answer to a press has the id of the press.  Of a message with words of two times, the oldest count for all."""
    numbered = Numbered.of(provenances)
    oldest = numbered.messages.get("member-1", {})

    restored = numbered.restored(dict.fromkeys(provenances, Provenance()))

    assert restored == {
        own: replace(one, messages={by: {own_id: oldest[own_id] for own_id in ids} for by, ids in one.messages.items()})
        for own, one in provenances.items()
    }
