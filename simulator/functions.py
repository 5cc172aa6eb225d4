"""The four real functions, each in a separate process under functions-framework."""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from simulator.processes import HOST, Child, free_port

REPOSITORY: Final = Path(__file__).parents[1]
PROJECT_ID: Final = "aizuchi-local"
EVENTS_TOPIC: Final = "line-events"
HISTORY_BUCKET: Final = "aizuchi-history"
_THREADS: Final = "40"  # requests wait for the turn of their chat; the value of the deployment


@dataclass(frozen=True, slots=True, kw_only=True)
class NotionWiring:
    """The agent worker's settings for Notion and the web."""

    url: str
    token: str = field(repr=False)
    databases: Mapping[str, str]

    def env(self) -> dict[str, str]:
        """Return the environment variables of the agent worker's contract."""
        return {
            "TOOLSETS": "knowledge,lists,expenses,polls,notion,web",
            "NOTION_BASE_URL": self.url,
            "NOTION_TOKEN": self.token,
            "NOTION_DATABASES": json.dumps(self.databases),
            "NOTION_CONVERSATIONS": "*",  # only people of this machine can write to the LINE stand-in
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Wiring:
    """The functions' settings for the platforms.  `gemini_base_url` is None for the real Gemini."""

    channel_secret: str = field(repr=False)
    channel_access_token: str = field(repr=False)
    gemini_api_key: str = field(repr=False)
    line_url: str
    pubsub_host: str
    storage_url: str
    gemini_base_url: str | None
    locale: str = "ja"
    access: str = "open"
    notion: NotionWiring | None = None
    feeds_url: str | None = None
    clock_file: Path | None = None
    more_env: Mapping[str, str] = field(default_factory=dict)

    def env_of(self, function: str) -> dict[str, str]:
        """Return the contract's variables for a function, without the other functions' variables.

        For example, `env_of("webhook")` has no GEMINI_API_KEY.
        """
        env = {"GOOGLE_CLOUD_PROJECT": PROJECT_ID}
        match function:
            case "webhook":
                env |= {
                    "EVENTS_TOPIC": EVENTS_TOPIC,
                    "LINE_CHANNEL_SECRET": self.channel_secret,
                    "PUBSUB_EMULATOR_HOST": self.pubsub_host,
                }
            case "agent_worker":
                env |= self._storage() | {
                    "LINE_CHANNEL_ACCESS_TOKEN": self.channel_access_token,
                    "LINE_API_BASE_URL": self.line_url,
                    "GEMINI_API_KEY": self.gemini_api_key,
                    "GEMINI_BASE_URL": self.gemini_base_url or "",
                    "ACCESS": self.access,
                    "BOT_LOCALE": self.locale,
                }
                if self.feeds_url is not None:
                    env["FEEDS_URL"] = self.feeds_url
                if self.notion is not None:
                    env |= self.notion.env()
            case "feeds":
                env |= {"HISTORY_BUCKET": HISTORY_BUCKET, "STORAGE_EMULATOR_HOST": self.storage_url}
            case "unsend":
                env |= self._storage() | {"ACCESS": self.access}
        return {**env, **self.more_env}

    def _storage(self) -> dict[str, str]:
        clock = {} if self.clock_file is None else {"CLOCK_OFFSET_FILE": str(self.clock_file)}
        return {"HISTORY_BUCKET": HISTORY_BUCKET, "STORAGE_EMULATOR_HOST": self.storage_url, **clock}


def function_child(function: str, wiring: Wiring, *, port: int, log_path: Path, env: Mapping[str, str]) -> Child:
    """Return the function, not started.  `env` is the environment of every process on the machine, such as PATH."""
    source = f"functions/{function}/main.py"
    options = ["--source", source, "--target", function, "--host", HOST, "--port", str(port)]
    return Child(
        name=f"functions/{function}",
        command=[sys.executable, "-m", "functions_framework", *options],
        port=port,
        log_path=log_path,
        env={**env, "PYTHONPATH": str(REPOSITORY), "THREADS": _THREADS, **wiring.env_of(function)},
        cwd=REPOSITORY,
    )


def function_ports(*, has_feeds: bool) -> dict[str, int]:
    """Return a free port for every function; functions/feeds runs only with CALENDAR=on."""
    functions = ("webhook", "agent_worker", "unsend", *(("feeds",) if has_feeds else ()))
    return {function: free_port() for function in functions}
