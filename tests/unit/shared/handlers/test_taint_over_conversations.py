"""Words from outside taint later turns whose prompts hold them, and no others: a chat is free of them again."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import pytest

from tests.support.tainted_chat import SMALL_MEMORY
from tests.support.tainted_turns import ProbedChat

TURNS: Final = 24


@pytest.mark.parametrize("read", [ProbedChat.reads_a_page, ProbedChat.sends_a_picture])
def test_a_chat_is_free_of_words_from_outside_once_no_prompt_shows_them(
    pool: ThreadPoolExecutor, read: Callable[[ProbedChat], None]
) -> None:
    chat = ProbedChat(pool, memory=SMALL_MEMORY)
    chat.talks()
    read(chat)
    for _ in range(TURNS):
        chat.talks()

    assert chat.tainted[:4] == [False, True, True, True]
    assert chat.tainted[-1] is False
    assert sorted(chat.tainted[1:], reverse=True) == chat.tainted[1:]
