"""The mutations of infra/terraform fit the configuration as it is; `make tf-mutants` plays them."""

import pytest

from tests.infra.mutants import StaleMutationError, mutated
from tests.infra.mutations import MUTATIONS, Mutation
from tests.infra.offline import ROOT


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_mutation_changes_one_place_of_the_configuration(name: str) -> None:
    mutation = MUTATIONS[name]
    text = (ROOT / "infra" / "terraform" / mutation.path).read_text(encoding="utf-8")

    assert mutated(text, mutation) != text


@pytest.mark.parametrize("text", ["", "a a"])
def test_a_mutation_whose_text_is_not_there_once_is_stale(text: str) -> None:
    with pytest.raises(StaleMutationError, match="times"):
        mutated(text, Mutation(path="a.tf", before="a", after="b", breaks="nothing"))
