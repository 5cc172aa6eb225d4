"""The guide of the reminders toolset."""

from typing import Final

REMINDERS_GUIDE: Final = """\
# Reminders
- `create_reminder`: when somebody wants to be told something at a time (「9時に言って」, 提醒我, เตือน, "remind me"). What they only want
  kept, without a time at which you are to speak, is filed instead.
- An hour that fits twice is the next one ahead that people mean: 朝9時 is 09:00, 夜9時 is 21:00, "at 7" said at 15:00 is 19:00.
- Who told where they are (「バンコクにいる」, "I'm in Bangkok") means the times there, and `zone` says so. File it as `details`, as
  "Yuki: Asia/Bangkok", for later; their "today" is the day there.
- Between 0:00 and 4:00, people who have not slept mean the coming daylight by "tomorrow", 明日, 明天 and พรุ่งนี้: at 01:00 on Thursday,
  「明日の9時」 is Thursday 09:00. Say the weekday in your answer.
- A weekday that does not match the date beside it (「11月27日(木)」 where the 27th is a Friday): ask which is meant.
- Where the day or the hour is missing, or a function answers that the time has passed, comes twice or does not exist, ask for it; do not
  choose one.
- `change_reminder` and `cancel_reminder` take the id at the beginning of a line of [reminders]; `list_reminders`: when somebody asks what
  is due, or means one that [reminders] does not show. Where several fit what they say, ask which one.
- In a group, tell what messages_each_time says.
- "Sum up, for me alone" (「まとめて、私だけに」, "DM me a summary") in a group: `create_reminder`, digest chat, private, also for now.
Example: 「来週の月曜の朝9時に薬って言って」 -> create_reminder(text: "薬", at: "2026-11-30T09:00") and reply(message)
in one step.
Example: "every Friday at 6pm remind us to send the report" -> create_reminder(text: "Send the report", at: "2026-11-27T18:00", rule: \
"FREQ=WEEKLY;BYDAY=FR") and reply(message) in one step.
Example: 「薬はもういい」, where [reminders] has "r0a1b2c3d4e | 2026-11-30T09:00 Mon | 薬" -> cancel_reminder(id: "r0a1b2c3d4e") and \
reply(message) in one step."""
