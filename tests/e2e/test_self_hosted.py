"""`python -m selfhost` over real wires: the LINE platform, this process with the real handlers, and Gemini's stand-in."""

import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from shared.conversation.provenance import Provenance, Source
from shared.reminders.reminder import Reminder
from shared.reminders.schedule import local_time
from shared.reminders.store import REMINDER
from shared.storage.codec import encode
from shared.storage.due_marker import DueMarker, due_after
from shared.storage.object_names import ObjectNames
from simulator.gemini.app import GeminiStandIn
from simulator.line.people import Bot
from simulator.line.platform import LinePlatform
from simulator.line.servers import HttpServer
from simulator.processes import HOST, free_port, listening_socket, release_port
from tests.support import recorded
from tests.support.loop import LoopThread
from tests.support.self_hosted import ROOT, SelfHosted, ended_process, environment
from tests.support.serving import plain_http
from tests.support.stacks import BASE_ENV

SECRET = "channel-secret"
TOKEN = "channel-access-token"
KILLS = 30
HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[SelfHosted]:
    port, admin_port = free_port(), free_port()
    with LoopThread() as loop:

        async def start() -> tuple[LinePlatform, GeminiStandIn, list[HttpServer]]:
            line = LinePlatform(
                webhook_url="http://127.0.0.1:9/",
                channel_secret=SECRET,
                channel_access_token=TOKEN,
                now_ms=lambda: time.time_ns() // 1_000_000,
                monotonic_s=time.monotonic,
                rng=Random(1),
                bot=Bot(user_id="U" + "b07" * 10 + "b0"),
                is_strict=False,  # the process listens on http
            )
            gemini = GeminiStandIn()
            servers = [
                HttpServer(app=line.app, sock=listening_socket(0)),
                HttpServer(app=gemini.app, sock=listening_socket(0)),
            ]
            for server in servers:
                await server.start()
            return line, gemini, servers

        line, _, servers = loop.run(start())
        env = environment(
            secret=SECRET,
            token=TOKEN,
            line_url=f"http://{HOST}:{servers[0].port}",
            gemini_url=f"http://{HOST}:{servers[1].port}",
            ports=(port, admin_port),
            public_url=f"http://{HOST}:{port}",
        )
        machine = SelfHosted(loop=loop, line=line, folder=tmp_path, env=env, port=port, admin_port=admin_port)
        try:
            yield machine
        finally:
            machine.kill()

            async def stop() -> None:
                await line.close()
                for server in servers:
                    await server.stop()

            loop.run(stop())
            release_port(port)
            release_port(admin_port)


def test_a_person_is_answered_and_an_unsent_message_is_in_no_file(machine: SelfHosted) -> None:
    machine.start()
    machine.wait_until(lambda: "line.me/R/ti/p/%40aizuchi" in machine.printed.read_text(encoding="utf-8"))
    person = machine.add_person("Momoko")
    secret = machine.says(person, "my word is swordfish, note it please")
    machine.wait_until(lambda: len(machine.hears(person)) == 1)
    machine.says(person, "what did I say?")
    machine.wait_until(lambda: len(machine.hears(person)) == 2)
    assert machine.files_with(b"swordfish")

    machine.unsends(person, secret)

    machine.wait_until(lambda: machine.files_with(b"swordfish") == [])
    assert machine.end() == 0
    assert machine.files_with(b"swordfish") == []


def test_a_chat_goes_on_after_the_process_was_killed(machine: SelfHosted) -> None:
    machine.start()
    machine.wait_until(lambda: "ok: LINE tried it" in machine.printed.read_text(encoding="utf-8"))
    person = machine.add_person("Momoko")
    machine.says(person, "My name is Momoko.")
    machine.wait_until(lambda: len(machine.hears(person)) == 1)

    machine.end(signal.SIGKILL)
    machine.start()
    machine.says(person, "What is my name?")

    machine.wait_until(lambda: len(machine.hears(person)) == 2)
    assert "Momoko" in machine.hears(person)[1]


def test_only_deliveries_are_taken_from_outside(machine: SelfHosted) -> None:
    machine.start()
    url, admin = f"http://{HOST}:{machine.port}", f"http://{HOST}:{machine.admin_port}"
    body = recorded.body("follow")
    with plain_http() as http:
        signed = http.post(url, content=body, headers={"x-line-signature": recorded.signature(body, SECRET)})
        assert signed.status_code == 200
        assert http.post(url, content=body, headers={"x-line-signature": "no"}).status_code == 401
        assert http.post(url, content=b"x" * 2_000_000).status_code == 413
        for method, path in (("GET", "/"), ("POST", "/status"), ("GET", "/status"), ("POST", "/hooks/a"), ("PUT", "/")):
            assert http.request(method, f"{url}{path}").status_code == 404

        page = http.get(admin)
        assert (page.status_code, "webhook" in page.text) == (200, True)
        assert http.get(admin, headers={"host": "rebound.example"}).status_code == 404
        assert http.get(admin, headers={"host": f"rebound.example:{machine.admin_port}"}).status_code == 404
        assert http.post(admin).status_code == 404


def test_a_second_process_on_the_same_folder_is_refused(machine: SelfHosted) -> None:
    machine.start()

    ports = {"PORT": str(free_port()), "ADMIN_PORT": str(free_port())}
    ended = ended_process(machine.folder, {**machine.env, **ports})

    assert ended.returncode == 1
    assert "another process uses" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_missing_settings_are_named_in_one_line_with_where_to_get_them(tmp_path: Path) -> None:
    ended = ended_process(tmp_path, {**BASE_ENV, "PYTHONPATH": str(ROOT)})

    assert ended.returncode == 1
    (line,) = ended.stderr.splitlines()
    for name in (
        "LINE_CHANNEL_SECRET",
        "LINE_CHANNEL_ACCESS_TOKEN",
        "GEMINI_API_KEY",
        "LINE Developers console",
        "aistudio",
    ):
        assert name in line


def test_settings_are_read_from_the_file_of_the_folder(machine: SelfHosted) -> None:
    names = [name for name in machine.env if name.startswith(("LINE_", "GEMINI_"))]
    lines = [f'{name}="{machine.env.pop(name)}"  # from the console' for name in names]
    (machine.folder / ".env").write_text("\n".join(["# settings", *lines]), encoding="utf-8")

    machine.start()

    machine.wait_until(lambda: "ok: LINE tried it" in machine.printed.read_text(encoding="utf-8"))


def test_the_operators_commands_work_while_the_process_serves_and_while_it_does_not(machine: SelfHosted) -> None:
    machine.env["ACCESS"] = "invited"
    machine.start()
    machine.wait_until(lambda: "ok: LINE tried it" in machine.printed.read_text(encoding="utf-8"))
    person = machine.add_person("Momoko")

    machine.says(person, machine.command("invite").strip())
    machine.wait_until(lambda: len(machine.hears(person)) == 1)
    machine.says(person, "my word is swordfish, note it please")
    machine.wait_until(lambda: len(machine.hears(person)) == 2)
    assert person in machine.command("admitted")
    machine.command("export", person, "--to", "chat.jsonl")
    assert person in (machine.folder / "chat.jsonl").read_text(encoding="utf-8")
    assert machine.command("dead-letters").strip() == "no dead letters"
    assert f"ok: LINE has the address {machine.env['PUBLIC_URL']}/" in machine.command("line-webhook")
    assert machine.files_with(b"swordfish")
    assert "forgotten" in machine.command("forget", person)
    assert machine.files_with(b"swordfish") == []

    assert machine.end() == 0
    assert machine.command("admit", person).strip() == "admitted"
    assert person in machine.command("admitted")


def test_the_address_of_a_tunnel_that_is_started_along_is_given_to_line(machine: SelfHosted) -> None:
    address = "https://four-random-words-here.trycloudflare.com"
    program = machine.folder / "bin" / "cloudflared"
    program.parent.mkdir()
    lines = f"import sys, time\nprint('INF |  {address}  |', file=sys.stderr, flush=True)\ntime.sleep(600)\n"
    program.write_text(f"#!{sys.executable}\n{lines}", encoding="utf-8")
    program.chmod(0o755)
    machine.env["PATH"] = f"{program.parent}:{machine.env['PATH']}"

    machine.start("--tunnel", "cloudflared")

    machine.wait_until(lambda: f"ok: LINE has the address {address}/" in machine.printed.read_text(encoding="utf-8"))
    assert f"ok: LINE has the address {address}/" in machine.command("line-webhook", status=1)  # nothing answers there
    assert machine.end() == 0


def test_a_backup_is_restored_without_what_was_unsent_since(machine: SelfHosted) -> None:
    machine.start()
    machine.wait_until(lambda: "ok: LINE tried it" in machine.printed.read_text(encoding="utf-8"))
    person = machine.add_person("Momoko")
    secret = machine.says(person, "my word is swordfish, note it please")
    machine.wait_until(lambda: len(machine.hears(person)) == 1)
    machine.says(person, "My name is Momoko.")
    machine.wait_until(lambda: len(machine.hears(person)) == 2)

    backup = machine.command("backup").strip()
    machine.unsends(person, secret)
    machine.wait_until(lambda: machine.files_with(b"swordfish") == [])
    assert "end the process first" in machine.command("restore", backup, status=1)
    assert machine.end() == 0
    assert machine.command("restore", backup).startswith("restored: 1 messages")
    assert machine.files_with(b"swordfish") == []

    machine.start()
    machine.says(person, "What is my name?")
    machine.wait_until(lambda: len(machine.hears(person)) == 3)
    assert "Momoko" in machine.hears(person)[2]
    assert machine.files_with(b"swordfish") == []


def test_a_reminder_that_came_due_while_the_machine_slept_is_said_once_and_marked_late(machine: SelfHosted) -> None:
    person = machine.add_person("Momoko")
    due_ms = (
        (time.time_ns() // 1_000_000 - 3 * DAY_MS - 5 * HOUR_MS) // 60_000 * 60_000
    )  # and the last time five hours ago
    reminder = Reminder(
        id="r0000000001",
        text="water the flowers",
        provenance=Provenance.of_sources((Source(line_message_id="m1", timestamp_ms=due_ms - 60_000),)),
        start=local_time(due_ms, "Asia/Tokyo"),
        zone="Asia/Tokyo",
        rule="FREQ=DAILY",
        due_ms=due_ms,
    )
    marker = DueMarker.at(due_ms, kind=REMINDER, conversation_id=person, id=reminder.id)
    with machine.stored() as store:
        store.create(ObjectNames(person).reminder(reminder.id), encode(reminder))
        store.create(marker.name, b"")

    machine.start()
    machine.wait_until(lambda: any(line["done"] for line in machine.logged("tick_handled")))
    assert machine.end() == 0

    (heard,) = machine.hears(person)
    assert heard.startswith("⏰ water the flowers (meant for ")
    with machine.stored() as store:
        (planned,) = [listed.name for listed in store.list("due/") if "/reminder." in listed.name]
    assert planned > due_after(time.time_ns() // 1_000_000)


@pytest.mark.load
def test_kills_of_the_whole_process_lose_no_message_and_answer_none_twice(machine: SelfHosted) -> None:
    chance = Random(1)
    people = [machine.add_person(name) for name in ("Momoko", "Taro", "Somchai")]
    machine.start()

    for run in range(KILLS):
        for person in people:
            machine.says(person, f"message {run} of {person[-4:]}")
        time.sleep(chance.uniform(0.0, 2.0))  # the moment of the kill is what is varied
        machine.end(signal.SIGKILL)
        machine.start()
    before = {person: len(machine.hears(person)) for person in people}
    for person in people:
        machine.says(person, "the last one")
    machine.wait_until(lambda: all(len(machine.hears(person)) > before[person] for person in people))
    machine.wait_until(lambda: machine.command("dead-letters").strip() == "no dead letters")

    assert machine.end() == 0
    for person in people:
        assert before[person] < len(machine.hears(person)) <= KILLS + 1
        exported = machine.command("export", person)
        accepted = machine.accepted(person)
        assert len(accepted) > KILLS / 3
        assert [text for text in accepted if text not in exported] == []


def test_a_script_sends_a_notice_into_a_chat_of_this_machine(machine: SelfHosted) -> None:
    machine.env |= {"HOOKS": "on", "HOOK_KEY": "hook-key-of-thirty-two-letters-and-more"}
    machine.start()
    machine.wait_until(lambda: "ok: LINE tried it" in machine.printed.read_text(encoding="utf-8"))
    person = machine.add_person("Momoko")
    machine.says(person, "/hook new backup now")
    machine.wait_until(lambda: len(machine.hears(person)) == 1)
    machine.presses_newest(person)
    machine.wait_until(lambda: len(machine.hears(person)) == 3)
    text, token = machine.hears(person)[1:]

    with plain_http() as http:
        headers = {"authorization": f"Bearer {token}"}
        answer = http.post(text.splitlines()[-1], data={"message": "the backup is done"}, headers=headers)

    assert (answer.status_code, answer.json()) == (200, {"status": 200, "message": "ok"})
    machine.wait_until(lambda: len(machine.hears(person)) == 4)
    assert machine.hears(person)[3] == "🔔 backup\nthe backup is done"
    assert machine.files_with(token.encode()) == []
