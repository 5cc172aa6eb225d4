"""google-genai, imported with only one of the three HTTP libraries that it would use.

It works with httpx2, which it requires. It would also import aiohttp, which LINE's SDK requires, and httpx, which Notion's requires: 11 MB
and 0.1 s of CPU time.
"""

from shared.adapters.partial_imports import left_out

with left_out("aiohttp", "httpx"):
    from google import genai
    from google.genai import errors, types
    from google.genai.models import Models

__all__ = ["Models", "errors", "genai", "types"]
