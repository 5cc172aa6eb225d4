"""Notion's part of the environment of functions/agent_worker; read only if TOOLSETS names notion."""

import json
import re
import uuid
from collections.abc import Mapping
from dataclasses import field
from typing import Final

from shared.frozen import frozen
from shared.line.ids import is_conversation_id
from shared.settings.reader import EnvironmentReader
from shared.settings.secret import Secret

EVERY_CHAT: Final = "*"
_NAME: Final = re.compile(r"[^\x00-\x1f\x7f\"]{1,64}")


@frozen
class NotionSettings:
    """Access to Notion.

    `databases` maps the model's names to ids of databases or data sources: `{"todo_list": "248104cd-477e-80fd-b757-e945d38000bd"}`.
    `conversations`: the chats with access; None: every chat, including chats unknown to the operator.
    """

    token: Secret = field(repr=False)
    databases: Mapping[str, str]
    base_url: str | None
    conversations: frozenset[str] | None = field(repr=False)


def notion_settings(settings: EnvironmentReader) -> NotionSettings:
    """Read the variables; the reader collects faults."""
    return NotionSettings(
        token=settings.secret("NOTION_TOKEN"),
        databases=_databases(settings),
        base_url=settings.url("NOTION_BASE_URL"),
        conversations=_conversations(settings),
    )


def _databases(settings: EnvironmentReader) -> Mapping[str, str]:
    text = settings.required("NOTION_DATABASES")
    try:
        databases = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        databases = None
    is_usable = isinstance(databases, dict) and all(
        _NAME.fullmatch(name) and isinstance(value, str) and _uuid(value) for name, value in databases.items()
    )
    if text and (not is_usable or not databases):
        settings.faults.append(
            "NOTION_DATABASES must be a JSON object of names and the ids of databases, "
            'such as {"todo_list": "248104cd477e80fdb757e945d38000bd"}'
        )
    return (
        {name: _uuid(value) for name, value in databases.items()} if isinstance(databases, dict) and is_usable else {}
    )


def _conversations(settings: EnvironmentReader) -> frozenset[str] | None:
    text = settings.required("NOTION_CONVERSATIONS")
    if text == EVERY_CHAT:
        return None
    conversation_ids = [part.strip() for part in text.split(",") if part.strip()]
    if text and not (
        conversation_ids and all(is_conversation_id(conversation_id) for conversation_id in conversation_ids)
    ):
        settings.faults.append(
            "NOTION_CONVERSATIONS must be ids of chats (U, C or R and 32 hexadecimal digits) separated by commas, or *"
        )
    return frozenset(conversation_ids)


def _uuid(value: str) -> str:
    """Return the id as Notion writes it; "" for a malformed id."""
    try:
        return str(uuid.UUID(value)) if re.fullmatch(r"[0-9a-fA-F-]{32,36}", value) else ""
    except ValueError:
        return ""
