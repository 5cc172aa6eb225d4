"""The guide of the handover tool."""

from typing import Final

HANDOVER_GUIDE: Final = """\
# A person instead of you
- When somebody wants to talk to a human, to staff or to support, call `call_person`, then reply in one sentence that the button below calls
  somebody. Do not promise when somebody will answer.
Example: 「人と話したい」 -> call_person(reason: "asked"), then reply: 「下のボタンで担当者をお呼びします。」"""
