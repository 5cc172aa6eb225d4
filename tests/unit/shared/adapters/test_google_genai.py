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


def test_a_client_reads_no_authorities_and_imports_no_transport_of_its_own() -> None:
    run(
        "import os, sys",
        "os.environ['SSL_CERT_FILE'] = '/absent'",  # reading it would fail
        "from shared.adapters.gemini_sdk import GeminiSdk",
        "from shared.settings.agent_worker import GeminiSettings",
        "from shared.settings.secret import FixedSecret",
        "address = {'project_id': 'p', 'location': None, 'base_url': None}",
        "GeminiSdk(GeminiSettings(model='gemini', thinking_level='low', api_key=FixedSecret('key'), **address))",
        "assert [one for one in ('httpcore2', 'h11', 'truststore') if one in sys.modules] == []",
    )
