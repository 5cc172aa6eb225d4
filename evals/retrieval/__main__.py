"""`python -m evals.retrieval`: the set's table without and with embeddings, by Gemini if there is a key, else by a stand-in."""

import os
from collections.abc import Mapping
from contextlib import ExitStack

from evals.retrieval.benchmark import MANY, Figures, measure, read_set, search_ms
from evals.stand_in import stand_in
from shared.adapters.gemini_embeddings import GeminiEmbedder
from shared.settings.agent_worker import GeminiSettings
from shared.settings.secret import FixedSecret


def main(env: Mapping[str, str]) -> None:
    """Measure and print."""
    entries, queries = read_set()
    plain = measure(entries, queries)
    with ExitStack() as stack:
        key = env.get("GEMINI_API_KEY")
        settings = _settings(key, env) if key else stack.enter_context(stand_in())
        embedder = GeminiEmbedder(settings)
        embedded = measure(entries, queries, embedder)
    who = embedder.name if key else "a stand-in"
    print(f"{len(entries)} entries, {len(queries)} queries; embeddings by {who}")
    if not key:
        print(
            "No embedding model was asked: the stand-in's vectors count pairs of characters, so the column only shows that the path works."
        )
    print(f"\n{table(plain, embedded, who)}")
    print(
        f"\nentries shown where nothing answers the query: {plain.noise:.2f} without, {embedded.noise:.2f} with embeddings, on average"
    )
    print(
        f"a search among {MANY} entries: {search_ms(entries, queries):.1f} ms of CPU time (median, without embeddings)"
    )
    print("\nmissed without embeddings: " + ", ".join(f"{one.ask} ({one.kind})" for one in plain.missed))


def table(plain: Figures, embedded: Figures, who: str) -> str:
    """Return recall at five of each group, as Markdown."""
    rows = [
        f"| {group} | {plain.queries[group]} | {recall:.3f} | {embedded.recall[group]:.3f} |"
        for group, recall in plain.recall.items()
    ]
    return "\n".join(
        (f"| queries | number | recall@5 | with embeddings by {who} |", "| --- | --- | --- | --- |", *rows)
    )


def _settings(key: str, env: Mapping[str, str]) -> GeminiSettings:
    return GeminiSettings(
        api_key=FixedSecret(key),
        project_id="evals",
        location=None,
        base_url=env.get("GEMINI_BASE_URL"),
        model="gemini-3.5-flash-lite",
        thinking_level="low",
    )


if __name__ == "__main__":
    main(os.environ)  # noqa: TID251 - the one place that reads the environment
