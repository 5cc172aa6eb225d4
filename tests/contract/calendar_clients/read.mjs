// Read a feed on standard input as Thunderbird does, and print each event with its first occurrences as JSON.
import { readFileSync } from "node:fs";
import ICAL from "ical.js";

const MOST_OCCURRENCES = 40;
const calendar = new ICAL.Component(ICAL.parse(readFileSync(0, "utf8")));
for (const zone of calendar.getAllSubcomponents("vtimezone")) {
  ICAL.TimezoneService.register(zone);
}

function firstOccurrences(event) {
  if (!event.isRecurring()) {
    return [event.startDate];
  }
  const dates = event.iterator();
  const found = [];
  for (let date = dates.next(); date && found.length < MOST_OCCURRENCES; date = dates.next()) {
    found.push(date);
  }
  return found;
}

const events = calendar.getAllSubcomponents("vevent").map((component) => {
  const event = new ICAL.Event(component);
  return {
    uid: event.uid,
    sequence: event.sequence,
    summary: event.summary,
    location: event.location ?? "",
    description: event.description ?? "",
    starts: firstOccurrences(event).map((date) => (date.isDate ? date.toString() : date.toJSDate().toISOString())),
  };
});
console.log(JSON.stringify({ name: calendar.getFirstPropertyValue("x-wr-calname"), events }));
