"""google-genai, with one of the three HTTP libraries that it takes if it finds them.

It works with httpx2, which it requires. LINE's SDK requires aiohttp, and Notion's httpx; their import takes 11 MB and 0.1 s of CPU time.
"""

from shared.adapters.partial_imports import left_out

with left_out("aiohttp", "httpx"):
    from google import genai
    from google.genai import errors, types
    from google.genai.models import Models

__all__ = ["Models", "errors", "genai", "types"]
