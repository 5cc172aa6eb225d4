"""Fixed texts for tests: the names of the phrases, or the texts of a Japanese bot called Aizuchi."""

from shared.line.phrases import Phrase, phrase


class NamedPhrases:
    """Phrases whose texts are their names, cut to the length of a LINE button."""

    locale = "ja"

    def text(self, which: Phrase, **_: str | None) -> str:
        return which.value[:20]

    def hour(self, at_ms: int, *, locale: str | None = None) -> str:  # noqa: ARG002 - the same in all
        return str(at_ms)

    def day_begin(self, at_ms: int, *, locale: str | None = None) -> str:  # noqa: ARG002 - the same in all
        return str(at_ms)


def japanese(which: Phrase, **facts: str) -> str:
    """Return the text of a phrase in the language of PushedWorker."""
    return phrase(which, locale="ja", bot_name="Aizuchi", **facts)


def english(which: Phrase, **facts: str) -> str:
    """Return the text of a phrase as PushedWorker says it to people who write English."""
    return phrase(which, locale="en", bot_name="Aizuchi", **facts)
