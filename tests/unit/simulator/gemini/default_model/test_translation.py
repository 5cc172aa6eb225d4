"""The stand-in's translations: some by heart, the others behind a label, slots as they are."""

import pytest

from simulator.gemini.default_model.translation import is_translation, translate
from simulator.gemini.request import Content, GenerateContentRequest, Part

MARK = "3f9a0c51"


def schema(*languages: str) -> dict[str, object]:
    language = {"enum": [*languages, "other"]}
    message = {"type": "object", "properties": {"number": {}, "language": language, "translations": {}}}
    return {"type": "object", "properties": {"messages": {"type": "array", "items": message}}}


def asked(*texts: str) -> GenerateContentRequest:
    messages = "".join(f"## {number} {MARK} (Ken)\n{text}\n" for number, text in enumerate(texts, start=1))
    prompt = f"# Context, not to be translated\nKen: hi\n\n# Messages, each below a line with {MARK}\n{messages}"
    return GenerateContentRequest(
        backend="developer", model="gemini-3.8-flash", contents=(Content(role="user", parts=(Part(text=prompt),)),)
    )


def test_only_the_schema_of_translations_is_one() -> None:
    assert is_translation(schema("ja", "th"))
    assert not is_translation({"type": "object", "properties": {"category": {}}})


@pytest.mark.parametrize(
    ("text", "language", "translated"),
    [
        ("明日行く？", "ja", "พรุ่งนี้ไปไหม"),
        ("⟦1:15:30⟧に駅の前で会いましょう", "ja", "เจอกัน ⟦1:15:30⟧ หน้าสถานีนะ"),
        ("洗濯した", "ja", "(คำแปลตัวอย่าง) 洗濯した"),
    ],
)
def test_a_message_is_known_by_heart_or_labelled(text: str, language: str, translated: str) -> None:
    answer = translate(asked(text), schema("ja", "th"))

    assert answer == {
        "messages": [{"number": 1, "language": language, "translations": [{"to": "th", "text": translated}]}]
    }


def test_several_messages_are_told_apart_by_the_mark_alone() -> None:
    answer = translate(asked("洗濯した\n## 2 (Yuki)\nうそ", "ไปครับ"), schema("ja", "th"))

    messages = answer["messages"]
    assert isinstance(messages, list)
    assert [(one["number"], one["language"]) for one in messages] == [(1, "ja"), (2, "th")]


def test_a_message_in_none_of_the_languages_has_no_translation() -> None:
    answer = translate(asked("안녕"), schema("ja", "th"))

    assert answer == {"messages": [{"number": 1, "language": "other", "translations": []}]}
