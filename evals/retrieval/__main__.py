"""`python -m evals.retrieval`: the table of the set."""

from evals.retrieval.benchmark import MANY, measure, read_set, search_ms


def main() -> None:
    """Measure and print."""
    entries, queries = read_set()
    figures = measure(entries, queries)
    print(f"{len(entries)} entries, {len(queries)} queries, without embeddings\n")
    print("| queries | number | recall@5 |\n| --- | --- | --- |")
    for group, recall in figures.recall.items():
        print(f"| {group} | {figures.queries[group]} | {recall:.3f} |")
    print(f"\nentries shown where nothing answers the query: {figures.noise:.2f} on average")
    print(f"a search among {MANY} entries: {search_ms(entries, queries):.1f} ms of CPU time (median)")
    print("\nmissed: " + ", ".join(f"{one.ask} ({one.kind})" for one in figures.missed))


if __name__ == "__main__":
    main()
