"""The fixed texts, never written by a model: the table `phrases` of the language files in shared/locales."""

import datetime as dt
import zoneinfo
from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from functools import cache
from typing import Final, Protocol

from shared.frozen import frozen
from shared.line.bot_name import BotName
from shared.locales.language_file import language_file
from shared.locales.local_times import shown_day_begin, shown_hour
from shared.locales.placeholders import filled
from shared.version import version


class Phrase(StrEnum):
    """The fixed texts, by the names in the language files.

    `{bot}` stands for the bot's name; ID, EXPORT_ME, INVITATION_NEEDED and INVITATION_CLOSED need the fact `id`. The three questions about
    erasures need `messages`, `entries`, `media` and `reminders`, FORGET_ME_DONE and FORGET_MESSAGES_QUESTION `messages`,
    FORGET_MESSAGES_DONE `messages`, `answers` and `entries`, USAGE `turns`, USAGE_OF_TOKENS `tokens`, both and LIMIT_REACHED `hour`
    (`Phrases.day_begin`), NOTES_OPEN `count`, LIST_TITLE `name` and `count`, SUGGESTED `words`, EDIT_REMOVED `things`,
    POLL_PRESS_UNNAMED `question` and `option`, REMINDER_POSTPONED `when`, HANDOVER_DONE `minutes`,
    HANDOVER_BEGUN `name` and `minutes`, HANDOVER_UNKNOWN and HANDOVER_ENDED `name`, HANDOVER_NOTICE `name` and `chat`,
    texts about one hook `name`, HOOK_DONE and HOOK_ROTATED also `url`, and HOOK_QUESTION_NOW `cost`.
    CALENDAR_SHOWN needs `page`. Of translation, its question and the texts that say that it is on need `languages`, TRANSLATION_TERMS
    `terms`, the questions about a word `term`, TRANSLATION_CUT `count`, and TRANSLATION_LIMIT and SUMMARY_LIMIT `hour` (`day_begin`).
    Of what is on, rows with numbers need `count`, those of translation `languages`, and SWITCH_HOOK `name`.
    VIDEO_WATCHED needs `minutes` and `tokens`.
    Questions need `until`, the hour at which their buttons end (`Phrases.hour`). Names that
    end with `_button` are labels.
    """

    GREETING_FRIEND = "greeting_friend"
    GREETING_GROUP = "greeting_group"
    HELP_FRIEND = "help_friend"
    HELP_GROUP = "help_group"
    EXAMPLE_REMINDER = "example_reminder"
    EXAMPLE_NOTE = "example_note"
    EXAMPLE_LIST = "example_list"
    EXAMPLE_DECIDED = "example_decided"
    EXAMPLE_MEETING = "example_meeting"
    EXAMPLE_PAYER = "example_payer"
    GOODBYE_FRIEND = "goodbye_friend"
    GOODBYE_GROUP = "goodbye_group"
    RESET_DONE = "reset_done"
    RESET_QUESTION = "reset_question"
    RESET_BUTTON = "reset_button"
    FORGET_QUESTION = "forget_question"
    FORGET_BUTTON = "forget_button"
    FORGET_DONE = "forget_done"
    LEAVE_QUESTION = "leave_question"
    LEAVE_BUTTON = "leave_button"
    PAUSE_QUESTION = "pause_question"
    PAUSE_BUTTON = "pause_button"
    PAUSE_DONE = "pause_done"
    RESUME_QUESTION = "resume_question"
    RESUME_BUTTON = "resume_button"
    RESUME_DONE = "resume_done"
    PRESS_IN_PAUSE = "press_in_pause"
    PRESS_IN_HANDOVER = "press_in_handover"
    HANDOVER_QUESTION = "handover_question"
    HANDOVER_BUTTON = "handover_button"
    HANDOVER_DONE = "handover_done"
    HANDOVER_REFUSED = "handover_refused"
    HANDOVER_NOTICE = "handover_notice"
    HANDOVER_LIST = "handover_list"
    HANDOVER_NONE = "handover_none"
    HANDOVER_UNKNOWN = "handover_unknown"
    HANDOVER_BEGUN = "handover_begun"
    HANDOVER_ENDED = "handover_ended"
    FORGET_ME_DONE = "forget_me_done"
    FORGET_MESSAGES_QUESTION = "forget_messages_question"
    FORGET_MESSAGES_BUTTON = "forget_messages_button"
    FORGET_MESSAGES_DONE = "forget_messages_done"
    FORGET_ME_UNNAMED = "forget_me_unnamed"
    PRESS_EXPIRED = "press_expired"
    PRESS_VOID = "press_void"
    PRESS_REPEATED = "press_repeated"
    PRESS_OF_ANOTHER = "press_of_another"
    PRESS_UNNAMED = "press_unnamed"
    POLL_PRESS_UNNAMED = "poll_press_unnamed"
    POLL_PRESS_LATE = "poll_press_late"
    PRESS_DECLINED = "press_declined"
    DECLINE_BUTTON = "decline_button"
    SUGGESTED = "suggested"
    GOES_ON = "goes_on"
    GO_ON_BUTTON = "go_on_button"
    ID = "id"
    STILL_THINKING = "still_thinking"
    SHOW_BUTTON = "show_button"
    ANSWER_SHOWN = "answer_shown"
    NOTHING_TO_SHOW = "nothing_to_show"
    APOLOGY_BUSY = "apology_busy"
    APOLOGY_REFUSED = "apology_refused"
    PARTLY_REFUSED = "partly_refused"
    CHANGE_QUESTION = "change_question"
    CHANGE_BUTTON = "change_button"
    CHANGE_FAILED = "change_failed"
    CHANGE_NOT_NEEDED = "change_not_needed"
    EDIT_REMOVED = "edit_removed"
    REFILE_QUESTION = "refile_question"
    EXPORT_ME = "export_me"
    EXPORT_ME_GROUP = "export_me_group"
    LIMIT_REACHED = "limit_reached"
    USAGE = "usage"
    USAGE_OF_TOKENS = "usage_of_tokens"
    USAGE_UNLIMITED = "usage_unlimited"
    USAGE_LIMITLESS = "usage_limitless"
    USAGE_TITLE = "usage_title"
    USAGE_TURNS = "usage_turns"
    USAGE_TOKENS = "usage_tokens"
    USAGE_HOUR = "usage_hour"
    LANGUAGE_NOW = "language_now"
    LANGUAGE_DONE = "language_done"
    LANGUAGE_BUTTON = "language_button"
    NO_USER_ID = "no_user_id"
    INVITATION_NEEDED = "invitation_needed"
    INVITATION_REFUSED = "invitation_refused"
    INVITATION_CLOSED = "invitation_closed"
    CALENDAR_BUTTON = "calendar_button"
    REMINDER_DONE_BUTTON = "reminder_done_button"
    REMINDER_LATER_BUTTON = "reminder_later_button"
    REMINDER_HOUR_BUTTON = "reminder_hour_button"
    REMINDER_TOMORROW_BUTTON = "reminder_tomorrow_button"
    REMINDER_DONE = "reminder_done"
    REMINDER_POSTPONED = "reminder_postponed"
    REMINDER_GONE = "reminder_gone"
    NOTES_NONE = "notes_none"
    NOTES_OPEN = "notes_open"
    REMINDERS_NONE = "reminders_none"
    REMINDERS_DUE = "reminders_due"
    REMINDER_CANCEL_BUTTON = "reminder_cancel_button"
    REMINDER_LATER_HOUR_BUTTON = "reminder_later_hour_button"
    REMINDER_CHANGED = "reminder_changed"
    MORE_BUTTON = "more_button"
    TICK_BUTTON = "tick_button"
    COPY_BUTTON = "copy_button"
    EXPENSES_BALANCES = "expenses_balances"
    EXPENSES_TRANSFERS = "expenses_transfers"
    EXPENSES_SETTLE_BUTTON = "expenses_settle_button"
    EXPENSES_CHANGED = "expenses_changed"
    EXPENSES_PRESS_LATE = "expenses_press_late"
    EXPENSES_NONE_OPEN = "expenses_none_open"
    POLL_GONE = "poll_gone"
    LIST_BUTTON = "list_button"
    LIST_TITLE = "list_title"
    LIST_UNNAMED = "list_unnamed"
    LIST_ITEM_DONE = "list_item_done"
    LIST_CLEAR_BUTTON = "list_clear_button"
    LIST_GONE = "list_gone"
    LIST_NOTHING_DONE = "list_nothing_done"
    LIST_PRESS_LATE = "list_press_late"
    LISTS_HEADING = "lists_heading"
    ENTRY_GONE = "entry_gone"
    ENTRY_WAS_DONE = "entry_was_done"
    VIDEO_WATCHED = "video_watched"
    FILE_EMPTY = "file_empty"
    FILE_PROTECTED = "file_protected"
    FILE_UNKNOWN_TYPE = "file_unknown_type"
    FILE_DAMAGED = "file_damaged"
    FILE_TOO_LARGE = "file_too_large"
    CALENDAR_SHOWN = "calendar_shown"
    CALENDAR_PAGE_BUTTON = "calendar_page_button"
    CALENDAR_OFF = "calendar_off"
    CALENDAR_USAGE = "calendar_usage"
    CALENDAR_NO_ADDRESS = "calendar_no_address"
    CALENDAR_NAME = "calendar_name"
    CALENDAR_OUTSIDE = "calendar_outside"
    CALENDAR_RENEWED = "calendar_renewed"
    HOOK_QUESTION_NEXT = "hook_question_next"
    HOOK_QUESTION_NOW = "hook_question_now"
    HOOK_QUESTION_QUIET = "hook_question_quiet"
    HOOK_BUTTON = "hook_button"
    HOOK_DONE = "hook_done"
    HOOK_ROTATED = "hook_rotated"
    HOOK_REVOKED = "hook_revoked"
    HOOK_GONE = "hook_gone"
    HOOK_EXISTS = "hook_exists"
    HOOK_FULL = "hook_full"
    HOOK_USAGE = "hook_usage"
    HOOKS_NONE = "hooks_none"
    HOOKS_LIST = "hooks_list"
    HOOK_MODE_NEXT = "hook_mode_next"
    HOOK_MODE_NOW = "hook_mode_now"
    HOOK_MODE_QUIET = "hook_mode_quiet"
    HOOK_REVOKE_BUTTON = "hook_revoke_button"
    HOOK_ROTATE_BUTTON = "hook_rotate_button"
    HOOK_NO_ADDRESS = "hook_no_address"
    HOOK_PICTURE = "hook_picture"
    TRANSLATION_QUESTION = "translation_question"
    TRANSLATION_BUTTON = "translation_button"
    TRANSLATION_KEEP_QUESTION = "translation_keep_question"
    TRANSLATION_KEEP_BUTTON = "translation_keep_button"
    TRANSLATION_DROP_QUESTION = "translation_drop_question"
    TRANSLATION_DROP_BUTTON = "translation_drop_button"
    TRANSLATION_ON = "translation_on"
    TRANSLATION_ON_FOR_ONE = "translation_on_for_one"
    TRANSLATION_JOIN_BUTTON = "translation_join_button"
    TRANSLATION_NEEDS_ANOTHER = "translation_needs_another"
    TRANSLATION_IS_ON = "translation_is_on"
    TRANSLATION_IS_ON_FOR_ONE = "translation_is_on_for_one"
    TRANSLATION_IS_OFF = "translation_is_off"
    TRANSLATION_OFF_QUESTION = "translation_off_question"
    TRANSLATION_OFF_BUTTON = "translation_off_button"
    TRANSLATION_OFF = "translation_off"
    TRANSLATION_USAGE = "translation_usage"
    TRANSLATION_IN_GROUPS = "translation_in_groups"
    TRANSLATION_TERMS = "translation_terms"
    TRANSLATION_NO_TERMS = "translation_no_terms"
    TRANSLATION_LIMIT = "translation_limit"
    SUMMARY_LIMIT = "summary_limit"
    SUMMARY_FAILED = "summary_failed"
    TRANSLATION_CUT = "translation_cut"
    SWITCHES_TITLE = "switches_title"
    SWITCHES_ON = "switches_on"
    SWITCHES_NONE = "switches_none"
    SWITCHES_MORE = "switches_more"
    SWITCH_ON = "switch_on"
    SWITCH_OFF = "switch_off"
    SWITCH_ON_BUTTON = "switch_on_button"
    SWITCH_OFF_BUTTON = "switch_off_button"
    SWITCH_CHANGED = "switch_changed"
    SWITCH_TRANSLATION = "switch_translation"
    SWITCH_TRANSLATION_ALL = "switch_translation_all"
    SWITCH_TRANSLATION_ONE = "switch_translation_one"
    SWITCH_TRANSLATION_OFF = "switch_translation_off"
    SWITCH_SUMMARY = "switch_summary"
    SWITCH_DIGEST = "switch_digest"
    SWITCH_HOOK = "switch_hook"
    SWITCH_CALENDAR = "switch_calendar"
    SWITCH_EXPENSES = "switch_expenses"
    SWITCH_EXPENSES_OPEN = "switch_expenses_open"
    SWITCH_POLLS = "switch_polls"
    SWITCH_POLLS_OPEN = "switch_polls_open"
    SWITCH_LISTS = "switch_lists"
    SWITCH_LISTS_OPEN = "switch_lists_open"


EXAMPLES: Final = (Phrase.EXAMPLE_REMINDER, Phrase.EXAMPLE_NOTE, Phrase.EXAMPLE_LIST)
"""What a newcomer to a 1:1 chat may say; the help and the greeting suggest these."""

GROUP_EXAMPLES: Final = (Phrase.EXAMPLE_DECIDED, Phrase.EXAMPLE_MEETING, Phrase.EXAMPLE_PAYER)
"""What a group may ask; the help has a button for each."""


class Phrases(Protocol):
    """The fixed texts of a deployment, in the bot's locale where no other locale is asked for."""

    @property
    def locale(self) -> str:
        """The bot's locale, one of LOCALES."""
        ...

    def text(self, which: Phrase, *, locale: str | None = None, **facts: str) -> str:
        """Return the text in `locale`, else in the bot's, with the bot's name; `facts` fill the other placeholders."""
        ...

    def hour(self, at_ms: int, *, locale: str | None = None) -> str:
        """Return the time of day in the bot's time zone, for example `9:32` in ja and `09:32` in en."""
        ...

    def day_begin(self, at_ms: int, *, locale: str | None = None) -> str:
        """Return the time at which a day of the bot's time zone begins, for example `0時` in ja and `midnight` in en."""
        ...


@frozen
class LocalePhrases:
    """The fixed texts of one of LOCALES."""

    locale: str
    bot_name: BotName
    time_zone: zoneinfo.ZoneInfo = field(default_factory=lambda: zoneinfo.ZoneInfo("Asia/Tokyo"))

    def text(self, which: Phrase, *, locale: str | None = None, **facts: str) -> str:
        return phrase(which, locale=locale or self.locale, bot_name=self.bot_name.shown, **facts)

    def hour(self, at_ms: int, *, locale: str | None = None) -> str:
        return shown_hour(self._local(at_ms), locale=locale or self.locale)

    def day_begin(self, at_ms: int, *, locale: str | None = None) -> str:
        return shown_day_begin(self._local(at_ms), locale=locale or self.locale)

    def _local(self, at_ms: int) -> dt.datetime:
        return dt.datetime.fromtimestamp(at_ms / 1_000, self.time_zone)


def phrase(which: Phrase, *, locale: str, bot_name: str, **facts: str) -> str:
    """Return the text in a locale of LOCALES; `facts` fill the placeholders apart from the bot's name and the version.

    For example: `phrase(Phrase.ID, locale="en", bot_name="Momo", id="U4af4...")`.
    """
    return filled(_texts(locale)[which], **{"bot": bot_name, "version": version(), **facts})


@cache
def _texts(locale: str) -> Mapping[Phrase, str]:
    return language_file(locale).table("phrases", dict[Phrase, str])
