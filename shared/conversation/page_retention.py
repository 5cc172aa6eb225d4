"""How long pages keep their words: `ARCHIVE_DAYS`, by the lifecycle rules of the bucket; without an archive, until no turn reads them.

A closed page is written with the time of its newest record as `customTime`, from which the rule `days_since_custom_time` counts; every
rewrite has to set it again.  Source: Cloud Storage, "Object metadata": Custom-Time cannot be removed from an object or set back, but a new
upload begins without it; "Object Lifecycle Management": with 0 days an object is eligible as soon as it has the time.
"""

from dataclasses import replace

from shared.conversation.page_records import PageRecord, without_old_words
from shared.conversation.pages import Memory, Pages


def custom_time_ms(page: PageRecord) -> int | None:
    """Return the time from which the retention of a page counts; None while it is open, because turns read it."""
    return page.newest_ms if page.next_file and page.newest_ms else None


def without_words_of_passed_page(pages: Pages, memory: Memory) -> None:
    """Where nothing is archived, the page before the closed one keeps ids and provenance only, once its messages are summed up.

    Repeated: changes nothing. A swap that is lost is left to the next page: only a withdrawal writes a closed page, and it takes words out.
    """
    if pages.days or memory.newest.name.number == 1:
        return
    number = memory.newest.name.number - 1
    for listed in pages.list_pages():
        if listed.name.number != number:
            continue
        passed = pages.read_page(listed.name)
        if _is_summed_up(passed.record, memory):
            _ = pages.swap(passed, replace(without_old_words(passed.record), next_file=passed.record.next_file))


def _is_summed_up(page: PageRecord, memory: Memory) -> bool:
    """Whether recaps sum up every message of the page; else the next page that is turned takes its words."""
    recaps = (*page.recaps, *memory.recaps, *memory.before.recaps)
    summed_up = frozenset(own_id for recap in recaps for own_id in recap.summed_up_ids)
    return all(one.line_message_id in summed_up for one in page.messages)
