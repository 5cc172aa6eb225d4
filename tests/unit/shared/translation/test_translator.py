"""What the model's answers become: shown in the right language, whole and once, or not at all."""

import pytest

from shared.adapters.memory import FixedClock, ScriptedJsonModel
from shared.adapters.memory.scripted_model import JsonStep
from shared.agent.model import Json, JsonRequest
from shared.clock import Deadline
from shared.errors import ModelBlockedError, ModelRefusedError, ModelUnavailableError
from shared.translation.translator import TextToTranslate, TranslationRequest, Translator

SECRET = "U" + "0" * 32


def row(number: object, language: str, **texts: str) -> Json:
    return {
        "number": number,
        "language": language,
        "translations": [{"to": to, "text": text} for to, text in texts.items()],
    }


def translated(*steps: JsonStep, texts: tuple[str, ...] = ("明日行く？",), **more: object) -> list[dict[str, str]]:
    """Return what is shown of each message that has translations."""
    model = ScriptedJsonModel(steps)
    messages = tuple(TextToTranslate(line_message_id=f"m{number}", text=text) for number, text in enumerate(texts))
    request = TranslationRequest(languages=("ja", "th", "en"), messages=messages, **more)  # type: ignore[arg-type]
    shown = Translator(model=model).translate(request, Deadline.after(FixedClock(), 8.0))
    assert model.steps == []
    return [dict(one.texts) for one in shown]


def test_a_message_is_shown_in_the_other_languages_in_the_order_of_the_chat() -> None:
    answer = {"messages": [row(1, "ja", en="Going tomorrow?", th="พรุ่งนี้ไปไหม")]}

    (shown,) = translated(answer)

    assert list(shown.items()) == [("th", "พรุ่งนี้ไปไหม"), ("en", "Going tomorrow?")]


@pytest.mark.parametrize(
    "answer",
    [
        {"messages": []},
        {"messages": [row(2, "ja", th="พรุ่งนี้")]},
        {"messages": [row(1, "ja", ja="明日行く？")]},
        {"messages": [row(1, "ja", th="明日行く？")]},
        {"messages": [row(1, "ja", th="see you", en="明日")]},
        {"messages": [row(1, "ja", th="ดู https://evil.example")]},
        {"messages": [row(1, "ja", th="ไป" * 200)]},
        {"messages": [row(1, "ja", th="   ")]},
    ],
)
def test_what_is_no_translation_is_not_shown(answer: Json) -> None:
    assert translated(answer) == []


def test_the_script_decides_the_language_where_it_can_whatever_the_model_says() -> None:
    assert translated({"messages": [row(1, "th", th="พรุ่งนี้ไปไหม", ja="明日？")]}) == [{"th": "พรุ่งนี้ไปไหม"}]


@pytest.mark.parametrize("text", ["ดู https://example.com/a/very/long/path", "ดูนะ @somchai.jaidee.of.the.shop"])
def test_a_link_or_a_mention_decides_no_language(text: str) -> None:
    answer = {"messages": [row(1, "th", en="look ⟦1⟧")]}
    assert translated(answer, texts=(text,)) == [{"en": f"look {text.split()[1]}"}]


def test_a_message_is_shown_once_also_where_the_model_answers_twice() -> None:
    first, second = row(1, "ja", th="หนึ่ง"), row(1, "ja", th="สอง")

    assert translated({"messages": [first, second]}) == [{"th": "หนึ่ง"}]


@pytest.mark.parametrize(
    "failure",
    [
        ModelUnavailableError("down"),
        ModelRefusedError("400", is_about_request=True),
        {"rows": []},
        {"messages": [{"number": 1}]},
    ],
)
def test_a_failure_shows_nothing(failure: JsonStep) -> None:
    assert translated(failure) == []


def test_a_blocked_message_silences_no_other() -> None:
    def alone(request: JsonRequest) -> Json:
        assert "earlier" not in request.prompt
        return {"messages": [row(1, "ja", th="ไปไหม")]}

    shown = translated(
        ModelBlockedError("blocked"),
        alone,
        ModelBlockedError("blocked"),
        texts=("行く？", "爆弾"),
        context=("earlier",),
    )

    assert shown == [{"th": "ไปไหม"}]


def test_no_id_and_no_more_than_ten_lines_of_context_reach_the_model() -> None:
    asked: list[JsonRequest] = []

    def answer(request: JsonRequest) -> Json:
        asked.append(request)
        return {"messages": [row(1, "ja", th="ไปไหม")]}

    translated(answer, texts=(f"{SECRET}は誰？",), context=tuple(f"line {number} {SECRET}" for number in range(30)))

    assert SECRET not in asked[0].prompt
    assert "line 19" not in asked[0].prompt
    assert "line 20" in asked[0].prompt
