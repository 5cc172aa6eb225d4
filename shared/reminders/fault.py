"""Why a reminder cannot be set, found or changed."""

from shared.reminders.reminder import Reminder


class ReminderFault(Exception):  # noqa: N818 - not an error of this service: the model reads it
    """A refusal that the model reads: a plain sentence on what to ask or to write instead, and whether other arguments may succeed."""

    def __init__(self, message: str, *, may_retry: bool = False) -> None:
        super().__init__(message)
        self.may_retry = may_retry


class ReminderExistsError(Exception):
    """The chat already has an open reminder of the same words and times."""

    def __init__(self, reminder: Reminder) -> None:
        super().__init__("the reminder exists")
        self.reminder = reminder
