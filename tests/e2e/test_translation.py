"""Translation between members over real wires: begun by two taps, one silent bubble a message, on the message's own token."""

from tests.e2e.conftest import Person, Platform
from tests.support.buttons import first_press
from tests.support.message_words import words_of


class BilingualGroup:
    """A group of Yuki, who writes Japanese, and Mali, who writes Thai."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform
        self.yuki, self.mali = Person(platform, "ユキ"), Person(platform, "มะลิ")
        members = (self.yuki.id, self.mali.id)
        self.id = platform.do(lambda stack: stack.line.create_group("bilingual", members)).chat_id
        platform.do(lambda stack: stack.line.join(self.id))
        platform.settle()

    def says(self, person: Person, text: str) -> str:
        """Return the id of the message."""
        message = self._platform.do(lambda stack: stack.line.say(person.id, self.id, text))
        self._platform.settle()
        return str(message.line_message_id)

    def presses(self, person: Person) -> None:
        """A member presses the button of the newest message of the bot."""
        messages = self._platform.do(lambda stack: list(stack.line.chat(self.id).messages))
        bot = self._platform.do(lambda stack: stack.line.account.user_id)
        data = first_press([one.content for one in messages if one.sender_id == bot][-1])
        self._platform.do(lambda stack: stack.line.press(person.id, self.id, data))
        self._platform.settle()

    @property
    def heard(self) -> list[str]:
        """The words of the bot's messages."""
        bot = self._platform.do(lambda stack: stack.line.account.user_id)
        messages = self._platform.do(lambda stack: list(stack.line.chat(self.id).messages))
        return [words_of(one.content) for one in messages if one.sender_id == bot]


def test_two_members_write_to_each_other_and_read_their_own_language(platform: Platform) -> None:
    group = BilingualGroup(platform)
    group.says(group.yuki, "/translate ja th")
    group.presses(group.yuki)
    group.presses(group.mali)
    assert "翻訳を始めました" in group.heard[-1]

    question = group.says(group.yuki, "明日行く？")
    assert group.heard[-1] == "ユキ: พรุ่งนี้ไปไหม"
    group.says(group.mali, "ไปครับ")
    assert group.heard[-1] == "มะลิ: 行きます！"
    group.says(group.yuki, "15:30に駅の前で会いましょう")
    assert group.heard[-1] == "ユキ: เจอกัน 15:30 หน้าสถานีนะ"

    told = len(group.heard)
    group.says(group.mali, "👍")
    assert len(group.heard) == told
    platform.do(lambda stack: stack.line.unsend(group.yuki.id, question))
    platform.settle()
    assert not [name for name, data in platform.bucket().items() if "พรุ่งนี้ไปไหม".encode() in data]
    assert not [name for name, data in platform.bucket().items() if "明日行く".encode() in data]
