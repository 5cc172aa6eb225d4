"""Budgets: how much a chat, and all chats together, may spend on a day."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What may be spent on a day; 0: no limit.

    Tokens are weighted: one of the output counts as many of the input as it costs. The defaults are what a family or a team does not meet.
    """

    turns_per_chat_day: int = 500
    tokens_per_chat_day: int = 5_000_000
    tokens_per_day: int = 50_000_000
