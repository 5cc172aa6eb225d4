import subprocess
import sys


def run(*lines: str) -> None:
    subprocess.run([sys.executable, "-c", "\n".join(lines)], check=True, timeout=60)


def test_the_sdk_brings_no_further_http_library_along() -> None:
    run(
        "from shared.adapters import google_genai, gemini_embeddings, gemini_links, gemini_search, gemini_sdk",
        "import sys",
        "assert [one for one in ('aiohttp', 'httpx') if one in sys.modules] == []",
        "import aiohttp, httpx",
    )
