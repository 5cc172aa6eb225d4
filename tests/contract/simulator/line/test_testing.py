"""The verbs for tests of a bot, in Python and in Node.js, against running bots."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import httpx2
import pytest

from simulator.functions import REPOSITORY
from simulator.line.standalone import StandaloneSettings
from simulator.line.testing import BackgroundServer, BotProcess, Group, Line, Person
from simulator.line.testing.bot_process import BotFailedError, free_port
from simulator.line.testing.client import LineError
from simulator.line.testing.plugin import bot_env
from tests.contract.simulator.line.running_bots import BOTS

BOT: Final = Path(__file__).parent / "menu_bot.py"
EXAMPLES: Final = REPOSITORY / "simulator" / "line" / "example_bots"
IN_CI: Final = bool(os.environ.get("CI"))  # noqa: TID251
LIMIT_S: Final = 120


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    port = free_port()
    settings = StandaloneSettings(port=0, webhook_url=f"http://127.0.0.1:{port}/callback")
    with (
        BackgroundServer(settings) as server,
        BotProcess([sys.executable, str(BOT), "{port}"], port=port, env=bot_env(server.url)),
    ):
        yield server.url


@pytest.fixture
def line(url: str) -> Line:
    line = Line(url)
    line.reset()
    return line


@pytest.fixture
def alice(line: Line) -> Person:
    return line.person("Alice")


def test_a_reply_says_which_event_it_answers_and_when(alice: Person) -> None:
    sent = alice.say("hello")

    reply = alice.expect_reply("you said hello")

    assert (reply.kind, reply.webhook_event_id) == ("reply", sent["webhook_event_id"])
    assert reply.reply_token
    assert reply.timestamp_ms > 1_700_000_000_000


def test_buttons_are_tapped_by_their_labels(alice: Person) -> None:
    alice.say("menu")
    assert alice.expect_reply(re.compile("^menu")).content["type"] == "template"

    alice.tap("Show")
    alice.expect_reply("pressed show=1")
    alice.tap("Say")
    alice.expect_reply("you said said")
    alice.tap("When", value="2026-01-31")
    alice.expect_reply("on 2026-01-31")
    assert alice.tap("Open") == {
        "action": {"type": "uri", "label": "Open", "uri": "https://example.com"},
        "webhook_event_id": None,
    }
    with pytest.raises(LineError, match="no button 'Missing'"):
        alice.tap("Missing")
    with pytest.raises(LineError, match="needs a value"):
        alice.tap("When")


def test_a_group_hears_what_is_said_in_it(line: Line, alice: Person) -> None:
    group: Group = line.group("Lunch", alice, line.person("Bob"))

    alice.say("hi", to=group)

    group.expect_reply("you said hi")
    alice.expect_silence(for_s=0.1)


def test_what_is_not_expected_is_told_with_what_was_said(alice: Person) -> None:
    alice.say("hello")
    with pytest.raises(AssertionError, match="expected 'bye', the bot said 'you said hello'"):
        alice.expect_reply("bye")
    with pytest.raises(AssertionError, match=r"said nothing within 0\.1 s; its webhook answered 200"):
        alice.expect_reply(within_s=0.1)
    alice.say("again")
    with pytest.raises(AssertionError, match="expected silence, the bot said 'you said again'"):
        alice.expect_silence()


def test_messages_are_unsent_redelivered_and_late(line: Line, alice: Person) -> None:
    sent = alice.say("hello")
    alice.expect_reply()
    alice.redeliver(sent)
    alice.expect_silence(for_s=0.1)
    alice.unsend(sent)
    alice.unfollow()
    alice.follow()
    line.advance_clock(s=3_600)
    line.wait()

    bodies = " ".join(delivery["body"] for delivery in line.get("deliveries")["deliveries"])
    types = re.findall('"type":"(unsend|follow|unfollow)"', bodies)
    assert sorted(types) == ["follow", "unfollow", "unsend"]


def test_a_push_is_no_reply(line: Line, alice: Person) -> None:
    text = {"type": "text", "text": "news"}
    body = {"to": alice.user_id, "messages": [text]}
    headers = {"Authorization": "Bearer local-channel-access-token"}
    httpx2.post(f"{line.url}/v2/bot/message/push", json=body, headers=headers, trust_env=False).raise_for_status()

    message = alice.expect_reply("news")

    assert (message.kind, message.reply_token, message.webhook_event_id) == ("push", None, None)


def test_the_first_person_acts_where_none_is_named(line: Line) -> None:
    line.do("say", text="hello")

    [message] = line.get("bot_messages", wait_s=5)["messages"]
    assert message["content"]["text"] == "you said hello"


def test_what_a_recording_gives_is_replayed_as_it_is(line: Line, alice: Person) -> None:
    alice.say("hello")
    alice.expect_reply()
    recording = line.recording()
    line.reset()

    assert line.do("replay", **recording)["is_equal"]
    line.reset()
    assert line.replay(recording)


def test_a_bot_that_cannot_start_is_told() -> None:
    with pytest.raises(BotFailedError, match="ended with status 3"):
        BotProcess([sys.executable, "-c", "raise SystemExit(3)"], port=free_port(), env={}).__enter__()
    with pytest.raises(BotFailedError, match="does not listen"):
        BotProcess(
            [sys.executable, "-c", "import signal; signal.pause()"], port=free_port(), env={}, start_s=0.1
        ).__enter__()


def test_the_pytest_plugin_starts_and_stops_simulator_and_bot(tmp_path: Path) -> None:
    example = shutil.copytree(EXAMPLES / "python", tmp_path / "example")
    env = {**os.environ, "PYTHONPATH": str(REPOSITORY)}  # noqa: TID251 - that of the test, for a process
    command = [sys.executable, "-m", "pytest", "-q", "-p", "simulator.line.testing.plugin", "-p", "no:cacheprovider"]

    done = subprocess.run(command, cwd=example, env=env, capture_output=True, text=True, timeout=LIMIT_S, check=False)

    assert "7 passed" in done.stdout, done.stdout + done.stderr


UNMODIFIED: Final = """\
[pytest]
line_bot = {python} bot.py {port}
line_bot_unmodified = true
line_bot_allow = localhost:5432
"""
ITS_TEST: Final = """\
def test_the_bot_repeats_a_text(alice):
    alice.say("hello")
    assert alice.expect_reply("hello").kind == "reply"


def test_the_bot_cannot_leave(alice):
    alice.say("leave https://example.com/")
    assert not alice.expect_reply(within_s=15).text.isdecimal()
"""


def test_the_plugin_tests_an_unmodified_bot(tmp_path: Path) -> None:
    shutil.copy(BOTS / "plain_requests.py", tmp_path / "bot.py")
    shutil.copy(BOTS / "serving.py", tmp_path)
    (tmp_path / "pytest.ini").write_text(UNMODIFIED, encoding="utf-8")
    (tmp_path / "test_bot.py").write_text(ITS_TEST, encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": str(REPOSITORY)}  # noqa: TID251 - that of the test, for a process
    command = [sys.executable, "-m", "pytest", "-q", "-p", "simulator.line.testing.plugin", "-p", "no:cacheprovider"]

    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=LIMIT_S, check=False)

    assert "2 passed" in done.stdout, done.stdout + done.stderr


NODE_TEST: Final = """\
import assert from "node:assert/strict";
import { test } from "node:test";
import { startLine } from "%(helper)s";

test("a bot in Python is tested from Node", async () => {
  const line = await startLine({ command: ["%(python)s", "-m", "simulator.line"], bot: ["sh", "-c", "exec %(python)s %(bot)s $PORT"] });
  try {
    const alice = await line.reset();
    const sent = await alice.say("menu");
    const reply = await alice.expectReply("menu");
    assert.deepEqual([reply.kind, reply.webhook_event_id], ["reply", sent.webhook_event_id]);
    await alice.tap("Show");
    await alice.expectReply(/show=1$/);
    await alice.sticker();
    await alice.expectSilence();
    const group = await line.group("Lunch", alice, await line.person("Bob"));
    await alice.say("hi", { to: group });
    await group.expectReply("you said hi");
    await alice.say("hello");
    await assert.rejects(alice.expectReply("bye"), /the bot said "you said hello"/);
    await alice.unsend(sent);
    const recording = await line.recording();
    await line.reset();
    assert.equal(await line.replay(recording), true);
  } finally {
    await line.stop();
  }
});

test("an unmodified bot needs no setting", async () => {
  const command = ["%(python)s", "-m", "simulator.line"];
  const line = await startLine({ command, unmodified: true, bot: ["node", "%(unmodified)s", "{port}"] });
  try {
    const alice = await line.reset();
    await alice.say("hello");
    await alice.expectReply("hello");
    await alice.say("leave https://example.com/");
    await alice.expectReply(/^[^0-9]/, { withinS: 15 });
  } finally {
    await line.stop();
  }
});
"""


def test_the_node_helper_has_the_same_verbs(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        if IN_CI:
            pytest.fail("the Node helper needs Node.js, and CI must run it: .ci/run installs it")
        pytest.skip("no Node.js on this machine; on Debian: apt-get install nodejs")
    helper = REPOSITORY / "simulator" / "npm" / "index.js"
    path = tmp_path / "bot.test.mjs"
    path.write_text(
        NODE_TEST % {"helper": helper, "python": sys.executable, "bot": BOT, "unmodified": BOTS / "fetching.mjs"},
        encoding="utf-8",
    )
    env = {**os.environ, "PYTHONPATH": str(REPOSITORY)}  # noqa: TID251 - likewise

    done = subprocess.run(
        [node, "--test", str(path)], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=LIMIT_S, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr
