"""`make run`: a process tree that starts, prints one address, keeps its chats over a restart, and stops cleanly."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from simulator.functions import REPOSITORY
from simulator.processes import free_port
from simulator.stack import LocalStack, StackSettings
from tests.support.message_words import words_of
from tests.support.serving import plain_http
from tests.support.stacks import BASE_ENV

PATIENCE_S = 30.0


@contextmanager
def running_launcher(folder: Path, port: int) -> Iterator[tuple[subprocess.Popen[str], str]]:
    command = [sys.executable, "-m", "simulator", "--port", str(port), "--data", str(folder), "--latency", "0"]
    with subprocess.Popen(
        command, env=BASE_ENV, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        try:
            yield process, line
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
                process.wait(PATIENCE_S)


def bubbles(url: str) -> list[str]:
    with plain_http() as http:
        (chat,) = http.get(f"{url}/simulator/state").json()["chats"]
    return [words_of(entry["content"]) for entry in chat["entries"] if entry["kind"] == "message"]


def say(url: str, text: str, *, expecting: int) -> list[str]:
    with plain_http(base_url=f"{url}/simulator") as simulator:
        person = simulator.get("/state").json()["people"][0]["user_id"]
        simulator.post("/say", json={"user_id": person, "chat_id": person, "text": text}).raise_for_status()
    return until_bubbles(url, expecting)


def until_bubbles(url: str, number: int) -> list[str]:
    until_s = time.monotonic() + PATIENCE_S
    while len(bubbles(url)) < number:
        assert time.monotonic() < until_s, bubbles(url)
        time.sleep(0.05)
    return bubbles(url)


def test_a_chat_survives_a_clean_stop_and_a_restart(tmp_path: Path) -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}"

    with running_launcher(tmp_path, port) as (process, line):
        assert url in line
        until_bubbles(url, 1)
        say(url, "My name is Momoko.", expecting=3)
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""

    with running_launcher(tmp_path, port):
        assert "はじめまして" in bubbles(url)[0]
        assert bubbles(url)[1] == "My name is Momoko."
        assert "Momoko" in say(url, "What is my name?", expecting=5)[-1]


def test_a_dead_child_is_reported_with_the_end_of_its_log_and_no_process_outlives_the_stack(tmp_path: Path) -> None:
    async def run() -> tuple[str, list[int]]:
        async with LocalStack(StackSettings(folder=tmp_path, base_env=BASE_ENV)) as stack:
            os.kill(stack.children["agent_worker"].pid, signal.SIGKILL)
            return await stack.failure(), [child.pid for child in stack.children.values()]

    failure, process_ids = asyncio.run(run())

    assert failure.startswith("functions/agent_worker ended with status -9; the end of ")
    assert [process_id for process_id in process_ids if is_alive(process_id)] == []


def is_alive(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    return True
