import subprocess
import sys

import pytest

MESSAGES = "from shared.adapters import pubsub_messages as ours"
PACKAGE = "from google.pubsub_v1 import PublisherClient, PublishRequest"
HEAVY = ("google.api_core", "google.auth", "requests", "cryptography", "asyncio", "google.pubsub_v1.services")


def run(*lines: str) -> None:
    subprocess.run([sys.executable, "-c", "\n".join(lines)], check=True, timeout=60)


@pytest.mark.parametrize("imports", [(MESSAGES, PACKAGE), (PACKAGE, MESSAGES)], ids=["before", "after"])
def test_the_messages_are_those_of_the_package_imported_before_or_after(imports: tuple[str, str]) -> None:
    run(*imports, "assert PublishRequest.pb() is ours.Request", "assert PublisherClient.topic_path('p', 't')")


def test_the_messages_bring_no_client_along() -> None:
    run(MESSAGES, "import sys", f"assert not [one for one in {HEAVY} if one in sys.modules]")
