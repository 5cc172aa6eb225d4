"""A good guest in every chat: through the three real functions, with the real SDKs on the wires."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from simulator.gemini.script import Hold, call, unavailable
from simulator.line.events import WebhookEvent
from simulator.line.media import Media
from tests.e2e.conftest import PATIENCE_S, Person, Platform
from tests.support import push, recorded
from tests.support.serving import plain_http
from tests.support.stacks import running_stack

JPEG = Media(content=b"\xff\xd8\xff a red bicycle", content_type="image/jpeg")
PDF = Media(content=b"%PDF-1.7 a red bicycle", content_type="application/octet-stream")
ID = re.compile(r"[UCR][0-9a-f]{32}")


class Group:
    """A group of two with the bot in it."""

    def __init__(self, platform: Platform, *, greets: bool = True) -> None:
        self._platform = platform
        self.yuki, self.kenji = (Person(platform, name) for name in ("ゆき", "健二"))
        self.id = platform.do(lambda stack: stack.line.create_group("釣り", (self.yuki.id, self.kenji.id))).chat_id
        usual = platform.do(lambda stack: stack.line.switches)
        platform.do(lambda stack: setattr(stack.line, "switches", replace(usual, holds=not greets)))
        self.join()
        platform.do(lambda stack: setattr(stack.line, "switches", usual))

    def join(self) -> None:
        self._platform.do(lambda stack: stack.line.join(self.id))
        self._platform.settle()

    def says(self, text: str, *, by: Person | None = None, quoting: str | None = None) -> WebhookEvent:
        """Somebody writes; what mentions the bot does so as LINE's app does it."""
        bot = [self._platform.do(lambda stack: stack.line.account.user_id)] if text.startswith("@Aizuchi") else []
        person = by or self.yuki
        event = self._platform.do(
            lambda stack: stack.line.say(person.id, self.id, text, mentioning=bot, quoting=quoting)
        )
        self._platform.settle()
        return event

    def bubbles(self) -> list[Any]:
        """What the bot has said here, the newest last."""
        people = {self.yuki.id, self.kenji.id}
        messages = self._platform.do(lambda stack: list(stack.line.chat(self.id).messages))
        return [one for one in messages if one.sender_id not in people]

    def hears(self) -> list[str]:
        return [str(one.content.get("text")) for one in self.bubbles()]


@pytest.fixture
def group(platform: Platform) -> Group:
    return Group(platform)


def prompt(platform: Platform) -> str:
    """What the model was asked last, as it came over the wire."""
    return platform.do(lambda stack: str(stack.gemini.requests[-1].request))


def looked_at(platform: Platform) -> list[str]:
    """The types of the media that the model was given last."""
    request = platform.do(lambda stack: stack.gemini.requests[-1].request)
    assert request is not None
    return [part.media.media_type for content in request.contents for part in content.parts if part.media is not None]


def asked(platform: Platform) -> int:
    return platform.do(lambda stack: len(stack.gemini.requests))


def in_bucket(platform: Platform, words: str, *, of: str) -> list[str]:
    return [name for name, data in platform.bucket().items() if of in name and words.encode() in data]


def test_who_mentions_names_or_quotes_the_bot_is_answered_and_nobody_else(platform: Platform, group: Group) -> None:
    assert len(group.hears()) == 1  # the greeting
    group.says("十時に駅で")
    group.says("@Aizuchi こんにちは")
    group.says("Aizuchi、こんにちは")
    group.says("こんにちは", quoting=group.bubbles()[-1].line_message_id)
    before = len(group.hears())
    group.says("了解", by=group.kenji)

    assert before == len(group.hears()) == 4
    assert in_bucket(platform, "@Aizuchi こんにちは", of=group.id) == []


def test_a_quote_reaches_the_model_and_the_answer_quotes_the_question(platform: Platform, group: Group) -> None:
    quoted = str(group.says("十時に駅で").line_message_id)
    question = group.says("@Aizuchi どこ？", by=group.kenji, quoting=quoted)

    assert '引用メッセージ: "十時に駅で"\\n質問: どこ？' in prompt(platform)
    assert group.bubbles()[-1].quoted_message_id == question.line_message_id
    assert len(in_bucket(platform, "十時に駅で", of=f"journal/{group.id}/{quoted}")) == 1


def test_a_withdrawn_quote_says_so(platform: Platform, group: Group) -> None:
    quoted = str(group.says("暗証番号は4711").line_message_id)
    group.yuki.unsends(quoted)
    platform.settle()
    group.says("@Aizuchi 何番？", quoting=quoted)

    assert "引用メッセージ: 取り消されました" in prompt(platform)
    assert "4711" not in prompt(platform)


def test_people_have_names_and_times_and_no_ids(platform: Platform, group: Group) -> None:
    group.says(f"私は {group.yuki.id} です")
    group.says("@Aizuchi こんにちは", by=group.kenji)

    assert re.search(r"\[ゆき \| \d{4}-\d\d-\d\d \d\d:\d\d\] 私は \[ID\] です", prompt(platform))
    assert re.search(r"\[健二 \| \d{4}-\d\d-\d\d \d\d:\d\d\] こんにちは", prompt(platform))
    assert not ID.search(prompt(platform))


def test_an_answer_has_no_ids_no_markdown_and_short_bubbles(platform: Platform, person: Person) -> None:
    markdown = f"## 結論\n**{recorded.USER}** です。" + "これは文です。" * 40
    platform.do(lambda stack: stack.gemini.script([call("reply", {"message": markdown})]))

    person.says("教えて")
    person.hears_next(after=1)

    assert person.hears()[0].startswith("結論\n[ID] です。")
    assert max(map(len, person.hears())) <= 160


def test_help_and_id_are_told_without_the_model(platform: Platform, group: Group) -> None:
    before = asked(platform)

    group.says("/help")
    group.says("／ＩＤ")

    assert "使い方" in group.hears()[-2]
    assert group.id in group.hears()[-1]
    assert asked(platform) == before


def test_a_reset_forgets_the_conversation_and_says_so(platform: Platform, person: Person) -> None:
    person.says("my word is swordfish")
    person.hears_next(after=0)

    person.says("/reset")
    assert "消しました" in person.hears_next(after=1)
    platform.settle()

    assert in_bucket(platform, "swordfish", of=person.id) == []
    person.says("what is my word?")
    assert "swordfish" not in person.hears_next(after=2)


def test_forgetting_asks_first_and_a_press_delivered_twice_is_answered_once(platform: Platform, person: Person) -> None:
    person.says("my word is swordfish")
    person.hears_next(after=0)
    person.says("/forget")
    platform.settle()
    assert in_bucket(platform, "swordfish", of=person.id)
    template = platform.do(lambda stack: list(stack.line.chat(person.id).messages)[-1]).content["template"]
    platform.chaos(duplicate_probability=1.0)

    platform.do(lambda stack: stack.line.press(person.id, person.id, str(template["actions"][0]["data"])))
    platform.settle()

    assert in_bucket(platform, "swordfish", of=person.id) == []
    assert [text for text in person.hears() if "すべて消しました" in text] == [person.hears()[-1]]


def test_goodbye_is_said_and_the_group_left_and_a_redelivery_spares_the_one_joined_since(
    platform: Platform, group: Group
) -> None:
    group.says("my word is swordfish")
    bye = group.says("/bye").as_sent(is_redelivery=True)
    assert "退出します" in group.hears()[-1]
    assert not platform.do(lambda stack: stack.line.chat(group.id).bot_is_member)
    assert in_bucket(platform, "swordfish", of=group.id) == []
    group.join()

    with plain_http() as http:
        answer = http.post(platform.worker_url, content=push.envelope(bye))

    assert answer.status_code == 204
    assert platform.do(lambda stack: stack.line.chat(group.id).bot_is_member)


def test_a_picture_is_kept_shown_to_the_model_once_and_gone_when_it_is_unsent(
    platform: Platform, person: Person
) -> None:
    sent = platform.do(lambda stack: stack.line.send_image(person.id, person.id, JPEG))
    person.hears_next(after=0)
    assert looked_at(platform) == ["image/jpeg"]
    assert platform.bucket()[f"media/{person.id}/{sent.line_message_id}"] == JPEG.content

    person.says("何色だった？")
    person.hears_next(after=1)
    assert looked_at(platform) == []

    person.unsends(str(sent.line_message_id))
    platform.settle()
    assert not any(name.startswith(f"media/{person.id}/") for name in platform.bucket())


def test_a_video_that_line_still_prepares_is_waited_for(platform: Platform, person: Person) -> None:
    ready_ms = platform.do(lambda stack: stack.line.now_ms()) + 1_500
    video = Media(content=b"video", content_type="video/mp4", prepared_at_ms=ready_ms)
    platform.do(lambda stack: stack.line.send_video(person.id, person.id, video, duration_ms=3_000))

    person.hears_next(after=0)

    assert looked_at(platform) == ["video/mp4"]


def test_pictures_sent_together_are_one_question(platform: Platform, person: Person) -> None:
    before = asked(platform)
    platform.do(lambda stack: stack.line.send_images(person.id, person.id, [JPEG, JPEG, JPEG]))
    platform.settle()

    assert asked(platform) == before + 1
    assert looked_at(platform) == ["image/jpeg"] * 3
    assert len(person.hears()) == 1


def test_in_a_group_a_file_is_fetched_when_somebody_quotes_it_to_the_bot(platform: Platform, group: Group) -> None:
    sent = platform.do(lambda stack: stack.line.send_file(group.yuki.id, group.id, PDF, file_name="案.pdf"))
    platform.settle()
    assert not any(name.startswith(f"media/{group.id}/") for name in platform.bucket())

    group.says("@Aizuchi これ読んで", by=group.kenji, quoting=str(sent.line_message_id))

    assert looked_at(platform) == ["application/pdf"]
    assert f"media/{group.id}/{sent.line_message_id}" in platform.bucket()


def test_whoever_waits_sees_that_an_answer_is_on_its_way(platform: Platform, person: Person) -> None:
    hold = Hold()
    platform.do(lambda stack: stack.gemini.script([call("reply", {"message": "お待たせ"}).held(hold)]))
    person.says("こんにちは")
    hold.wait_until_reached(PATIENCE_S)
    platform.pause(1.5)

    is_shown = platform.do(lambda stack: stack.line.chat(person.id).loading_until_ms > stack.line.now_ms())
    hold.release()

    assert is_shown
    assert person.hears_next(after=0) == "お待たせ"
    assert platform.do(lambda stack: stack.line.chat(person.id).loading_until_ms) == 0


def test_a_new_member_is_met_with_silence(platform: Platform, group: Group) -> None:
    newcomer = Person(platform, "新人")
    platform.do(lambda stack: stack.line.add_member(group.id, newcomer.id))
    platform.settle()

    assert len(group.hears()) == 1


@pytest.fixture(scope="module")
def outspoken(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    """A stack whose bot may chime in.  Its lease is as deployed, because the model has a part of it and a busy machine is slow."""
    folder = tmp_path_factory.mktemp("outspoken")
    more_env = {"SETTLE_MS": "0", "GROUP_POLICY": "model", "LEASE_S": "25"}
    with running_stack(folder, more_env=more_env) as (loop, stack):
        yield Platform(loop, stack, folder)


def test_where_it_may_the_bot_chimes_in_now_and_then_and_its_failures_stay_silent(outspoken: Platform) -> None:
    first, second = Group(outspoken, greets=False), Group(outspoken, greets=False)
    outspoken.do(lambda stack: stack.gemini.script([call("reply", {"message": "傘をどうぞ"})]))

    first.says("雨かな")
    first.says("雨だね")
    outspoken.do(lambda stack: stack.gemini.script([unavailable()] * 3))
    second.says("雨かな")

    assert first.hears() == ["傘をどうぞ"]
    assert second.hears() == []
