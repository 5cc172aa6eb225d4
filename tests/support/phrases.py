"""Fixed texts for tests: the names of the phrases, or the texts of a Japanese bot called Aizuchi."""

from shared.line.phrases import Phrase, phrase


class NamedPhrases:
    """Says each phrase's name, cut to what LINE takes on a button."""

    def text(self, which: Phrase, **_: str) -> str:
        return which.value[:20]


def japanese(which: Phrase, **facts: str) -> str:
    """Return a fixed text as PushedWorker says it."""
    return phrase(which, locale="ja", bot_name="Aizuchi", **facts)
