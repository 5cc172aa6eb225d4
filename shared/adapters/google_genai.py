"""google-genai, imported with only one of three HTTP libraries.

The SDK works with httpx2, a requirement. It would also import aiohttp, required by LINE's SDK, and httpx, required by Notion's: 11 MB
and 0.1 s of CPU time.
"""

from shared.adapters.partial_imports import without_modules

with without_modules("aiohttp", "httpx"):
    from google import genai
    from google.genai import errors, types
    from google.genai.models import Models

__all__ = ["Models", "errors", "genai", "types"]
