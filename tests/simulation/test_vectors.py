"""Vectors of entries under withdrawals, changes and deaths: a vector stands in the catalog only beside the words it was made of."""

import pytest

from tests.simulation.listed import listed_rows
from tests.simulation.scene import Scene


def vectors(scene: Scene) -> list[str]:
    return [row.vector for row in listed_rows(scene.world, scene.stage.people)]


def test_a_search_leaves_a_vector_of_each_entry() -> None:
    with Scene(has_knowledge=True, has_embeddings=True).playing() as scene:
        scene.runs_to_end(scene.asks_for("file"))
        scene.sleeps(1)
        scene.runs_to_end(scene.asks_for("find"))

        assert scene.rests(calm=True) == []
        assert all(vectors(scene))
        assert len(vectors(scene)) == 1


@pytest.mark.parametrize("kind", ["document", "query"])
def test_an_unsend_while_the_model_embeds_leaves_no_vector(kind: str) -> None:
    with Scene(has_knowledge=True, has_embeddings=True).playing() as scene:
        filed = scene.says(verb="file")
        scene.runs_to_end(scene.pushes(scene.delivers(filed)))
        scene.sleeps(1)
        search = scene.asks_for("find")
        scene.runs_until(search, f"embed {kind}")
        scene.runs_to_end(scene.takes_back(filed))
        scene.runs_to_end(search)

        assert scene.rests() == []
        assert vectors(scene) == []


@pytest.mark.parametrize("kind", ["document", "query"])
def test_a_worker_that_dies_while_the_model_embeds_is_followed_by_another(kind: str) -> None:
    with Scene(has_knowledge=True, has_embeddings=True).playing() as scene:
        scene.runs_to_end(scene.asks_for("file"))
        scene.sleeps(1)
        search = scene.asks_for("find")
        scene.runs_until(search, f"embed {kind}")
        scene.dies(search)

        assert scene.rests() == []
        assert all(vectors(scene))
