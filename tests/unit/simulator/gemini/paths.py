"""Paths of the Gemini API."""

from __future__ import annotations

MODEL = "gemini-3.5-flash-lite"
DEVELOPER = f"/v1/models/{MODEL}:generateContent"
