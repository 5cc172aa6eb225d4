"""Whether a reply is true: its claims by what was done, its details by what the model could read."""

from collections.abc import Iterator

from evals.grading.claims import untrue_claims
from evals.grading.details import invented_places, unsupported
from evals.grading.evidence import Evidence
from evals.grading.languages import Language, is_in


def untruths(evidence: Evidence, *, is_grounded: bool) -> Iterator[str]:
    """Yield what is untrue in the words.  Details are checked only where every detail needs a source (`is_grounded`).

    For example, "Deleted." without a deleted entry yields one text.
    """
    words = evidence.shown.words
    yield from untrue_claims(evidence.shown, evidence.facts)
    yield from invented_places(words, evidence.sources)
    if is_grounded:
        yield from unsupported(words, evidence.sources)


def wrong_languages(evidence: Evidence, language: Language) -> Iterator[str]:
    """Yield "the reply is not in ja" and the like, for the words and for each line of the code."""
    if not is_in(language, evidence.shown.words, names=evidence.names):
        yield f"the reply is not in {language}"
    for line in (*evidence.shown.receipts, *evidence.shown.proposals):
        if not is_in(language, line, names=evidence.names):
            yield f"a line of the code is not in {language}: {line}"
