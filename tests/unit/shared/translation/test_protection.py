"""What comes through a translation unchanged: 120 messages in six languages, whatever the model makes of them."""

import random
import re
from pathlib import Path
from typing import Final

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from shared.translation.protection import protect, shown_part, without_protected, without_slots

SENTENCES: Final = Path(__file__).parents[4] / "evals" / "translation" / "sentences.yaml"
BY_LANGUAGE: Final[dict[str, list[dict[str, object]]]] = yaml.safe_load(SENTENCES.read_text(encoding="utf-8"))
ALL: Final = [(language, row) for language, rows in BY_LANGUAGE.items() for row in rows]
NAMES: Final = ("ケン", "さくら", "มะลิ", "Somchai", "志明", "Linh", "Budi")
SLOT: Final = re.compile(r"⟦\d+:[^⟦⟧]*⟧")


def test_there_are_twenty_messages_in_each_of_six_languages() -> None:
    assert {language: len(rows) for language, rows in BY_LANGUAGE.items()} == dict.fromkeys(
        ("ja", "th", "zh-TW", "en", "vi", "id"), 20
    )
    assert len({str(row["says"]) for _, row in ALL}) == 120


@pytest.mark.parametrize(("language", "row"), ALL)
def test_numbers_names_links_and_emoji_stand_in_every_translation(language: str, row: dict[str, object]) -> None:
    del language
    says, keeps = str(row["says"]), [str(part) for part in row["keeps"]]  # type: ignore[attr-defined]
    protected = protect(says, NAMES)

    for translated in models(protected.text, random.Random(says)):
        restored = protected.restored(translated)

        assert restored is not None
        assert [part for part in keeps if part not in restored] == []
        assert "⟦" not in restored


def models(text: str, chance: random.Random) -> list[str]:
    """Return what models of several kinds make of a text with slots: faithful, forgetful, and in another order."""
    slots = SLOT.findall(text)
    shuffled = chance.sample(slots, len(slots))
    return [
        f"訳: {text}",
        f"訳 {' '.join(shuffled)} です",
        f"訳です {' '.join(slots[::2])}",
        "訳です",
        f"訳 {' '.join([*slots, *slots])}",
        re.sub(r"⟦(\d+):[^⟦⟧]*⟧", r"⟦\1⟧", f"訳 {text}"),
        re.sub(r"⟦(\d+):[^⟦⟧]*⟧", r"⟦ \1：別の数 ⟧", f"訳 {text}"),
    ]


@pytest.mark.parametrize(("language", "row"), ALL)
def test_a_text_whose_slots_all_return_is_the_text_itself(language: str, row: dict[str, object]) -> None:
    del language
    says = str(row["says"])

    protected = protect(says, NAMES)

    restored = protected.restored(protected.text)
    assert restored == re.sub(r"\[emoji: (\w+)\]", r"(\1)", says)


@given(st.text(), st.text())
def test_whatever_is_sent_holds_every_protected_part(text: str, translated: str) -> None:
    protected = protect(text, NAMES)

    restored = protected.restored(translated)

    assert restored is None or all(shown_part(part) in restored for part in protected.parts)


@given(st.text(alphabet="⟦⟧1234567890: aア", max_size=40))
def test_people_who_write_slots_themselves_take_nothing_from_others(text: str) -> None:
    protected = protect(f"15:30 {text}")

    restored = protected.restored(protected.text)

    assert restored is not None
    assert restored.startswith("15:30")
    assert sum(map(restored.count, "⟦⟧")) == sum(map(text.count, "⟦⟧"))


@pytest.mark.parametrize(
    "translated",
    ["see https://evil.example", "see www.evil.example", "see ⟦2:other⟧", "", "  ", "HTTPS://EVIL.EXAMPLE ⟦1:3⟧"],
)
def test_a_translation_with_a_link_or_a_slot_of_its_own_is_not_shown(translated: str) -> None:
    assert protect("3時に").restored(translated) is None


def test_the_model_sees_numbers_and_names_but_no_links_addresses_and_ids() -> None:
    text = f"@ケン 15:30 https://example.com/secret a@example.com U{'0' * 32}"

    protected = protect(text, NAMES)

    assert protected.text == "⟦1:@ケン⟧ ⟦2:15:30⟧ ⟦3:link⟧ ⟦4:link⟧ ⟦5:link⟧"


def test_a_name_is_a_whole_word_where_its_script_has_words() -> None:
    assert protect("Kenya and Ken", ("Ken",)).parts == ("Ken",)
    assert protect("ケンは来る？", ("ケン",)).parts == ("ケン",)
    assert protect("Ann and Anna-Lena", ("Anna-Lena", "Ann")).parts == ("Ann", "Anna-Lena")


@pytest.mark.parametrize(
    ("text", "name", "parts"),
    [
        ("ゆっくり行こう", "ゆ", ()),
        ("ゆさん、@ゆ 来て", "ゆ", ("ゆ", "@ゆ")),
        ("ฝนตกหนัก", "ฝน", ()),
        ("คุณฝนมาไหม", "ฝน", ("ฝน",)),
        ("will you come?", "Will", ()),
        ("did Will come?", "Will", ("Will",)),
        ("i am here", "i", ()),
        ("志明來了嗎", "志明", ("志明",)),
        ("Somchai มาไหม", "Somchai", ("Somchai",)),
    ],
)
def test_a_name_that_is_an_everyday_word_is_kept_only_where_a_person_is_meant(
    text: str, name: str, parts: tuple[str, ...]
) -> None:
    assert protect(text, names=(name,)).parts == parts


def test_what_is_left_without_what_is_protected() -> None:
    assert without_protected("@Ken 15:30 👍 https://a.example").strip() == ""
    assert without_slots("at ⟦1:15:30⟧ sharp") == "at  sharp"
