"""Meetings and polls over real wires, asked, answered and closed by three people in three languages."""

import pytest

from tests.e2e.conftest import Person, Platform
from tests.support.message_words import words_of


class PollingGroup:
    """A group of Yuki, Ken and Mali."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform
        self.people = tuple(Person(platform, name) for name in ("ユキ", "Ken", "มะลิ"))
        ids = tuple(person.id for person in self.people)
        self.id = platform.do(lambda stack: stack.line.create_group("polling", ids)).chat_id
        platform.do(lambda stack: stack.line.join(self.id))
        platform.settle()

    def hears(self, text: str, *, by: int = 0) -> str:
        """Have a member write to the bot; return the bot's words since then."""
        before = len(self._said)
        self._platform.do(lambda stack: stack.line.say(self.people[by].id, self.id, f"Aizuchi, {text}"))
        self._platform.settle()
        return "\n".join(self._said[before:])

    @property
    def _said(self) -> list[str]:
        bot = self._platform.do(lambda stack: stack.line.account.user_id)
        messages = self._platform.do(lambda stack: list(stack.line.chat(self.id).messages))
        return [words_of(one.content) for one in messages if one.sender_id == bot]


@pytest.mark.parametrize(
    ("meets", "poll", "votes", "closes", "told"),
    [
        (
            "明日の19時から渋谷で飲み会、8人まで、来る人？",
            "カレーと寿司で投票",
            "寿司に一票",
            "投票を締め切って",
            ("飲み会", "締め切りました"),
        ),
        (
            "Dinner tomorrow at 19:00 in Shibuya, 8 people at most: who is in?",
            "Vote on lunch: curry or sushi",
            "I vote for sushi",
            "Close the vote",
            ("Dinner", "Closed: lunch"),
        ),
        (
            "พรุ่งนี้ 19:00 กินข้าวที่สยาม รับ 8 คน ใครไปบ้าง",
            "โหวตมื้อเย็น: แกงหรือซูชิ",
            "ฉันโหวตซูชิ",
            "ปิดโหวต",
            ("กินข้าว", "มื้อเย็น"),
        ),
    ],
)
def test_a_group_meets_votes_and_closes_in_its_language(
    platform: Platform, meets: str, poll: str, votes: str, closes: str, told: tuple[str, str]
) -> None:
    group = PollingGroup(platform)

    assert told[0] in group.hears(meets)
    assert "0" in group.hears(poll, by=1)
    group.hears(votes, by=1)
    group.hears(votes, by=2)
    result = group.hears(closes)

    assert told[1] in result
    assert ("Ken、มะลิ" if "寿司" in votes else "Ken, มะลิ") in result
