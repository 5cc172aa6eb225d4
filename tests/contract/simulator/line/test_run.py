"""`line-simulator run`: unmodified bots, which know only LINE's own hosts, with the network cut.

Each is run in namespaces, where the machine allows that, and led by its environment, which must work everywhere.
"""

import re
import signal
import subprocess
import sys
import warnings
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Final

import pytest
from cryptography.hazmat.primitives.serialization import pkcs12
from cryptography.x509 import load_pem_x509_certificate

from simulator.functions import REPOSITORY
from simulator.line import __main__ as command
from simulator.line.run.allowances import allowance
from simulator.line.run.bundles import system_bundle
from simulator.line.run.certificates import JAVA_PASSWORD, issue_certificates
from simulator.line.run.environment import trusting
from tests.contract.simulator.line.running_bots import (
    BOTS,
    ENVIRONMENT,
    MODES,
    NAMESPACES,
    command_of,
    need_namespaces,
    program,
    running,
)

LIMIT_S: Final = 60
PEM: Final = "-----BEGIN CERTIFICATE-----.*?-----END"


class Database(BaseHTTPRequestHandler):
    """A server of this machine, which answers 204."""

    def do_GET(self) -> None:
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("bot", ["plain_requests.py", "fetching.mjs"])
def test_an_unmodified_bot_reaches_line_on_the_right_host_and_nothing_else(bot: str, mode: str) -> None:
    with running(command_of(bot), mode) as run:
        assert run.answer_to("hello") == "hello"
        assert run.answer_to("wrong host") == "404"
        assert run.answer_to("standard library") == "200"
        refusal = run.answer_to("leave https://example.com/")
        assert refusal == "ProxyError" if (bot, mode) == ("plain_requests.py", ENVIRONMENT) else not refusal.isdecimal()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("bot", "answer"), [("sdk_sync.py", "100 bytes"), ("sdk_async.py", None)])
def test_an_unmodified_bot_of_lines_sdk_answers(bot: str, answer: str | None, mode: str) -> None:
    with running(command_of(bot), mode) as run:
        assert run.answer_to("hello") == "hello"
        if answer is not None:
            run.alice.image(b"\x89PNG" + b"0" * 96)
            assert run.alice.expect_reply(within_s=15).text == answer


@pytest.mark.parametrize("mode", MODES)
def test_an_unmodified_bot_in_java_trusts_the_authority_of_the_run(mode: str) -> None:
    java = program("java", "default-jdk-headless")

    with running([java, str(BOTS / "Standard.java"), "{port}"], mode) as run:
        assert run.answer_to("hello") == "hello"
        assert run.answer_to("wrong host") == "404"
        assert run.answer_to("standard library") == "200"
        assert not run.answer_to("leave https://example.com/").isdecimal()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("url", "status"), [("https://api.line.me/v2/bot/info", "401"), ("https://example.com/", "000")]
)
def test_curl_trusts_the_authority_and_leaves_nowhere(mode: str, url: str, status: str) -> None:
    need_namespaces(mode)
    ways = [] if mode == NAMESPACES else ["--no-namespaces"]
    command = [program("curl", "curl"), "--silent", "--output", "/dev/null", "--write-out", "%{http_code}", url]

    done = subprocess.run(
        [sys.executable, "-m", "simulator.line", "run", "--port", "0", *ways, "--", *command],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )

    assert done.stdout == status, done.stderr
    assert (done.returncode == 0) == (status == "401")


def test_javas_trust_store_has_the_new_authority_beside_those_of_the_system(tmp_path: Path) -> None:
    issued = issue_certificates(tmp_path)
    authority = load_pem_x509_certificate(issued.authority.read_bytes())
    system = system_bundle()
    known = set(re.findall(PEM, system.read_text(encoding="utf-8"), re.DOTALL)) if system is not None else set()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of serial numbers of old authorities
        entries = pkcs12.load_pkcs12(issued.java.read_bytes(), JAVA_PASSWORD.encode()).additional_certs

    assert authority in [entry.certificate for entry in entries]
    assert len(entries) == len(known) + 1


def test_the_bots_own_options_of_java_stay(tmp_path: Path) -> None:
    own = {"JAVA_TOOL_OPTIONS": "-Xmx64m"}

    options = trusting(own, issue_certificates(tmp_path))["JAVA_TOOL_OPTIONS"].split()

    assert options[0] == "-Xmx64m"
    assert f"-Djavax.net.ssl.trustStore={tmp_path / 'java.p12'}" in options


@pytest.mark.parametrize(("options", "told"), [((), "ConnectionError"), (("--allow", "localhost:{port}"), "204")])
def test_a_server_of_this_machine_is_reached_only_where_it_is_allowed(options: tuple[str, ...], told: str) -> None:
    database = ThreadingHTTPServer(("127.0.0.1", 0), Database)
    Thread(target=database.serve_forever, daemon=True).start()
    allowed = [option.replace("{port}", str(database.server_port)) for option in options]
    try:
        with running(command_of("plain_requests.py"), NAMESPACES, *allowed) as run:
            assert run.answer_to(f"leave http://127.0.0.1:{database.server_port}/") == told
    finally:
        database.shutdown()
        database.server_close()


@pytest.mark.parametrize("mode", MODES)
def test_the_status_of_the_bot_is_that_of_the_command(mode: str) -> None:
    need_namespaces(mode)
    ways = [] if mode == NAMESPACES else ["--no-namespaces"]
    bots = (("raise SystemExit(7)", 7), ("import os; os.kill(os.getpid(), 9)", 137))

    for source, status in bots:
        started = ["run", "--port", "0", *ways, "--", sys.executable, "-c", source]
        done = subprocess.run(
            [sys.executable, "-m", "simulator.line", *started],
            cwd=REPOSITORY,
            capture_output=True,
            timeout=LIMIT_S,
            check=False,
        )
        assert done.returncode == status, done.stderr


@pytest.mark.parametrize("mode", MODES)
def test_a_command_that_does_not_exist_is_told(mode: str, tmp_path: Path) -> None:
    need_namespaces(mode)
    ways = [] if mode == NAMESPACES else ["--no-namespaces"]
    started = ["run", "--port", "0", *ways, "--", str(tmp_path / "none")]

    done = subprocess.run(
        [sys.executable, "-m", "simulator.line", *started],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )

    assert done.returncode == 127
    assert "No such file or directory" in done.stderr


@pytest.mark.parametrize("mode", MODES)
def test_the_end_of_the_simulator_is_the_end_of_the_bot(mode: str) -> None:
    with running(command_of("plain_requests.py"), mode) as run:
        run.process.send_signal(signal.SIGTERM)

        assert run.process.wait(LIMIT_S) == 143


def test_a_run_without_a_command_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(["run", "--port", "0"])

    assert "a command is missing" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", ":80", "example.com:", "example.com:http", "example.com:70000", "api.line.me"])
def test_a_wrong_allowance_is_refused(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(["run", "--allow", text, "--", "true"])

    assert "--allow" in capsys.readouterr().err


def test_an_allowance_without_a_port_is_that_of_https() -> None:
    assert (allowance("API.openai.com").host, allowance("API.openai.com").port) == ("api.openai.com", 443)
    assert allowance("localhost:5432").is_local
