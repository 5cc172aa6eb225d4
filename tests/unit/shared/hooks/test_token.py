import random
import string
from typing import Final

import pytest

from shared.hooks.token import TOKEN_CHARACTERS, address_in, is_hook_id, new_address, read_address, token_of

KEY: Final = "k" * 32
CHATS: Final = ("U" + "1" * 32, "C" + "0123456789abcdef" * 2, "R" + "f" * 32)
ALPHABET: Final = string.ascii_letters + string.digits + "-_."
NORMAL_RUN: Final = 20_000
LONG_RUN: Final = 1_000_000


def token(chat: str = CHATS[0], *, seed: str = "event1", key: str = KEY) -> str:
    return token_of(new_address(key, conversation_id=chat, seed=seed), key)


def altered(text: str, chance: random.Random) -> str:
    """Return the text with one to three characters replaced, left out, doubled or swapped."""
    characters = list(text)
    for _ in range(chance.randint(1, 3)):
        place = chance.randrange(len(characters))
        match chance.randrange(4):
            case 0:
                characters[place] = chance.choice(ALPHABET)
            case 1:
                del characters[place]
            case 2:
                characters.insert(place, chance.choice(ALPHABET))
            case _:
                other = chance.randrange(len(characters))
                characters[place], characters[other] = characters[other], characters[place]
    return "".join(characters)


def accepted_of(count: int) -> list[str]:
    """Return the altered tokens that are accepted, of so many."""
    chance, genuine = random.Random(560_000), token()
    tried = (altered(genuine, chance) for _ in range(count))
    return [one for one in tried if one != genuine and address_in(one, KEY) is not None]


@pytest.mark.parametrize("chat", CHATS)
def test_a_token_names_its_hook_and_its_chat(chat: str) -> None:
    address = address_in(token(chat), KEY)

    assert address is not None
    assert address.conversation_id == chat
    assert is_hook_id(address.hook_id)
    assert len(token(chat)) == TOKEN_CHARACTERS


@pytest.mark.parametrize("chat", CHATS)
def test_a_token_does_not_show_the_chats_id(chat: str) -> None:
    assert chat[1:9] not in token(chat)


def test_twenty_thousand_altered_tokens_open_nothing() -> None:
    assert accepted_of(NORMAL_RUN) == []


@pytest.mark.fuzz
def test_a_million_altered_tokens_open_nothing() -> None:
    assert accepted_of(LONG_RUN) == []


def test_every_other_spelling_of_the_same_bytes_is_refused() -> None:
    genuine = token()
    parts = genuine.split(".")
    spellings = [".".join((*parts[:2], parts[2][:-1] + last)) for last in ALPHABET if last != parts[2][-1]] + [
        ".".join((parts[0], parts[1][:-1] + last, parts[2])) for last in ALPHABET if last != parts[1][-1]
    ]

    assert [
        spelling
        for spelling in (*spellings, f"{genuine}=", f" {genuine}", genuine.upper(), "")
        if address_in(spelling, KEY)
    ] == []


def test_another_key_opens_nothing() -> None:
    assert address_in(token(key="another key of thirty-two letters"), KEY) is None


def test_the_parts_of_two_tokens_do_not_make_a_third() -> None:
    one, other = token(CHATS[0]).split("."), token(CHATS[1], seed="event2").split(".")

    mixed = [f"{a}.{b}.{c}" for a in (one[0], other[0]) for b in (one[1], other[1]) for c in (one[2], other[2])]

    assert sum(address_in(text, KEY) is not None for text in mixed) == 2


def test_the_same_seed_gives_the_same_address_and_a_rotation_another_mark() -> None:
    first = new_address(KEY, conversation_id=CHATS[0], seed="event1")
    named = read_address(first, KEY)
    assert named is not None
    rotated = read_address(new_address(KEY, conversation_id=CHATS[0], seed="event2", hook_id=named.hook_id), KEY)

    assert new_address(KEY, conversation_id=CHATS[0], seed="event1") == first
    assert rotated is not None
    assert (rotated.hook_id, rotated.conversation_id) == (named.hook_id, CHATS[0])
    assert rotated.mark != named.mark


@pytest.mark.parametrize("text", ["", ".", "..", "h.x", "é" * TOKEN_CHARACTERS, "h" * TOKEN_CHARACTERS])
def test_what_is_no_token_is_none(text: str) -> None:
    assert address_in(text, KEY) is None
    assert read_address(text, KEY) is None
