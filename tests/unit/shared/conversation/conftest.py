import pytest

from shared.adapters.memory import FixedClock
from shared.conversation.compaction import Compaction
from tests.support.recaps import QuotingSummariser, compaction_by


@pytest.fixture
def summariser() -> QuotingSummariser:
    return QuotingSummariser()


@pytest.fixture
def compaction(summariser: QuotingSummariser, clock: FixedClock) -> Compaction:
    return compaction_by(summariser, clock)
