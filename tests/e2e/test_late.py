"""Answers that are not ready before the reply token expires, over real wires."""

import datetime as dt
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from simulator.gemini.script import Hold, call
from tests.e2e.conftest import PATIENCE_S, Person, Platform, wait_until
from tests.support import push
from tests.support.buttons import first_press, is_question
from tests.support.message_words import words_of
from tests.support.serving import plain_http
from tests.support.stacks import running_stack


class LateDelivery:
    """A stack whose worker receives messages with a publish time in the past, so that their tokens are old."""

    def __init__(self, platform: Platform) -> None:
        self.platform = platform
        self.person = Person(platform, "patient")

    def ask(self, text: str, *, age_s: float, hold: Hold | None = None) -> dict[str, Any]:
        """Say the text; return its event, which is not delivered yet, with a publish time `age_s` before it."""
        stack = self.platform.do
        usual = stack(lambda stack: stack.line.switches)
        stack(lambda stack: setattr(stack.line, "switches", replace(usual, holds=True)))
        said = stack(lambda stack: stack.line.say(self.person.id, self.person.id, text))
        stack(lambda stack: setattr(stack.line, "switches", usual))
        token = str(said.fields["replyToken"])
        stack(lambda stack: stack.line.reply_tokens.start_lifetime(token, at_ms=stack.line.now_ms()))
        if hold is not None:
            stack(lambda stack: stack.gemini.script([call("reply", {"message": "at last"}).held(hold)]))
        published = dt.datetime.fromtimestamp(said.fields["timestamp"] / 1_000 - age_s, tz=dt.UTC)
        return {"event": said.as_sent(is_redelivery=False), "published": published.isoformat()}

    def deliver(self, asked: dict[str, Any]) -> int:
        body = push.envelope(asked["event"], published=asked["published"])
        with plain_http() as http:
            return http.post(self.platform.worker_url, content=body).status_code

    def press_button(self, *, by: Person | None = None) -> None:
        """Press the button that the bot has sent, in the 1:1 chat of `by`."""
        messages = self.platform.do(lambda stack: list(stack.line.chat(self.person.id).messages))
        data = first_press(next(one.content for one in messages if is_question(one.content)))
        person = by or self.person
        self.platform.do(lambda stack: stack.line.press(person.id, person.id, data))
        self.platform.settle()

    def texts(self) -> list[str]:
        """Return what the bot said in words, without the question for a tap."""
        messages = self.platform.do(lambda stack: list(stack.line.chat(self.person.id).messages))
        said = (one.content for one in messages if one.sender_id != self.person.id)
        return [words_of(content) for content in said if not is_question(content)]


@contextmanager
def stack_with(late_reply: str, folder: Path) -> Iterator[LateDelivery]:
    with running_stack(folder, more_env={"SETTLE_MS": "0", "LATE_REPLY": late_reply}) as (loop, stack):
        yield LateDelivery(Platform(loop, stack, folder))


def test_a_late_answer_is_fetched_once_by_its_button(tmp_path: Path) -> None:
    with stack_with("button", tmp_path) as late, ThreadPoolExecutor(1) as background:
        hold = Hold()
        asked = late.ask("how high is Fuji?", age_s=48.0, hold=hold)
        status = background.submit(late.deliver, asked)
        wait_until(lambda: late.platform.do(lambda stack: stack.line.replies_with_effect) == 1)
        hold.release()
        assert status.result(PATIENCE_S) == 204
        assert late.texts() == []

        for _ in range(2):
            late.press_button()

        assert late.texts() == ["at last", "The answer is already above."]
        assert late.platform.do(lambda stack: len(stack.gemini.requests)) == 1


def test_a_button_shows_nothing_in_another_chat(tmp_path: Path) -> None:
    with stack_with("button", tmp_path) as late, ThreadPoolExecutor(1) as background:
        hold = Hold()
        status = background.submit(late.deliver, late.ask("my secret?", age_s=48.0, hold=hold))
        wait_until(lambda: late.platform.do(lambda stack: stack.line.replies_with_effect) == 1)
        hold.release()
        status.result(PATIENCE_S)
        stranger = Person(late.platform, "stranger")

        late.press_button(by=stranger)

        assert "at last" not in stranger.hears()


def test_a_late_answer_is_pushed_once(tmp_path: Path) -> None:
    with stack_with("push", tmp_path) as late:
        asked = late.ask("how high is Fuji?", age_s=70.0)

        assert [late.deliver(asked), late.deliver(asked)] == [204, 204]

        assert len(late.texts()) == 1
        pushes = [one for one in late.platform.do(lambda stack: stack.line.requests) if "message/push" in one.path]
        assert len(pushes) == 1


def test_a_dropped_late_answer_is_recorded_as_undelivered(tmp_path: Path) -> None:
    with stack_with("drop", tmp_path) as late:
        assert late.deliver(late.ask("how high is Fuji?", age_s=70.0)) == 204

        assert late.texts() == []
        outcomes = [data for name, data in late.platform.bucket().items() if name.endswith(".outcome.json")]
        assert b'"kind":"undelivered"' in outcomes[0]
