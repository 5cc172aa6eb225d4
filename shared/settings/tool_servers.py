"""The connected tool servers in the environment of functions/agent_worker: MCP_SERVERS, a JSON list, and the secret MCP_HEADERS.

MCP_SERVERS=[{"name": "weather", "url": "https://weather.example/mcp", "chats": "*",
"tools": {"get-forecast": "reads", "order-umbrella": "acts"}}]
MCP_HEADERS={"weather": {"Authorization": "Bearer ..."}}
"""

import json
import re
from collections.abc import Mapping
from dataclasses import field
from typing import Final

from shared.frozen import frozen
from shared.line.ids import is_conversation_id
from shared.settings.reader import EnvironmentReader, is_on_this_machine
from shared.settings.secret import Secret
from shared.tools.mcp.port import ToolUse

EVERY_CHAT: Final = "*"
MOST_SERVERS: Final = 8
_MOST_ITEMS: Final = 64  # headers or tools of one server
_NAME: Final = re.compile(r"[a-z][a-z0-9]{0,15}")
_TOOL: Final = re.compile(r"[A-Za-z0-9_./-]{1,128}")
_HEADER: Final = re.compile(r"[A-Za-z0-9-]{1,64}")
_HEADER_VALUE: Final = re.compile(r"[ -~]{1,4096}")
_WEB: Final = re.compile(r"https://[^\s/@]+(/\S*)?", re.IGNORECASE)
_FIELDS: Final = frozenset({"name", "url", "tools", "chats"})
_EXAMPLE: Final = (
    '[{"name": "weather", "url": "https://weather.example/mcp", "tools": {"get-forecast": "reads"}, "chats": "*"}]'
)


@frozen
class ServerHeaders:
    """The headers of one server's requests, from a secret that may change while the process runs; None: no headers."""

    server: str
    secret: Secret | None = field(repr=False)

    def __call__(self) -> Mapping[str, str]:
        """Return the headers as they are now: `{"Authorization": "Bearer ..."}`; none from a secret that has become malformed."""
        return {} if self.secret is None else _headers_in(self.secret.value()).get(self.server, {})


@frozen
class ToolServerSettings:
    """One server: its address, its headers, its allowed tools by the server's own names, and the chats with access.

    `conversations` None: every chat, including chats unknown to the operator.
    """

    name: str
    url: str
    headers: "ServerHeaders" = field(repr=False)
    uses: Mapping[str, ToolUse]
    conversations: frozenset[str] | None = field(repr=False)


def tool_server_settings(settings: EnvironmentReader) -> tuple[ToolServerSettings, ...]:
    """Read MCP_SERVERS; unset: no server.  The reader collects faults."""
    text = settings.optional("MCP_SERVERS")
    if text is None:
        return ()
    try:
        declared = json.loads(text)
    except (ValueError, RecursionError):
        declared = None
    if not isinstance(declared, list) or not 0 < len(declared) <= MOST_SERVERS:
        settings.faults.append(f"MCP_SERVERS must be a JSON list of 1 to {MOST_SERVERS} servers, such as {_EXAMPLE}")
        return ()
    has_headers = settings.optional("MCP_HEADERS") or settings.optional("MCP_HEADERS_FILE")
    secret = settings.secret("MCP_HEADERS") if has_headers else None
    if secret is not None and not _headers_in(secret.value()):
        settings.faults.append(
            'MCP_HEADERS must be a JSON object of headers by server, such as {"weather": {"Authorization": "..."}}'
        )
    servers = [_server(settings, number, value, secret) for number, value in enumerate(declared, start=1)]
    usable = tuple(server for server in servers if server is not None)
    if len({server.name for server in usable}) < len(usable):
        settings.faults.append("MCP_SERVERS names two servers alike")
    return usable


def _server(
    settings: EnvironmentReader, number: int, declared: object, secret: Secret | None
) -> ToolServerSettings | None:
    """Return the server; None after a fault, which names its place in the list but none of its values."""
    entry = declared if isinstance(declared, dict) else {}
    name, url, tools = (entry.get(key) for key in ("name", "url", "tools"))
    fault = next(
        (
            sentence
            for is_wrong, sentence in (
                (not entry, "is no object"),
                (bool(entry.keys() - _FIELDS), f"has a field beside {', '.join(sorted(_FIELDS))}"),
                (not _fits(name, _NAME), "needs a `name` of lowercase letters and digits, at most 16"),
                (not _is_address(url), "needs a `url` with https"),
                (not _is_mapping(tools, _TOOL, re.compile("reads|acts")), 'needs `tools`, each with "reads" or "acts"'),
                (not _are_chats(entry.get("chats")), 'needs `chats`: a list of ids of chats, or "*"'),
            )
            if is_wrong
        ),
        None,
    )
    if fault is not None or not isinstance(tools, dict):
        settings.faults.append(f"server {number} of MCP_SERVERS {fault}")
        return None
    chats = entry["chats"]
    return ToolServerSettings(
        name=str(name),
        url=str(url),
        headers=ServerHeaders(server=str(name), secret=secret),
        uses={tool: ToolUse(use) for tool, use in tools.items()},
        conversations=None if EVERY_CHAT in chats else frozenset(chats),
    )


def _headers_in(text: str) -> Mapping[str, Mapping[str, str]]:
    """Return the headers by server; {} for a text that is no such object."""
    try:
        declared = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(declared, dict):
        return {}
    are_usable = all(_fits(name, _NAME) and _is_mapping(one, _HEADER, _HEADER_VALUE) for name, one in declared.items())
    return declared if are_usable else {}


def _fits(value: object, pattern: re.Pattern[str]) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def _is_address(value: object) -> bool:
    return _fits(value, _WEB) or (isinstance(value, str) and is_on_this_machine(value))


def _is_mapping(value: object, names: re.Pattern[str], values: re.Pattern[str]) -> bool:
    if not isinstance(value, dict) or len(value) > _MOST_ITEMS:
        return False
    return all(_fits(name, names) and _fits(one, values) for name, one in value.items())


def _are_chats(value: object) -> bool:
    if value in (EVERY_CHAT, [EVERY_CHAT]):
        return True
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(one, str) and is_conversation_id(one) for one in value)
    )
