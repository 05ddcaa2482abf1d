"""Calendars as python3-icalendar and python3-recurring-ical-events read and write them.

Standard input is one JSON object, standard output another:
  read:  {"ics": text, "from": day, "until": day} -> {"events": [{"uid", "name", "description", "tags", "days"}]}
  write: {"events": [{"uid", "name", "description", "tags", "start", "end"?, "zone"?, "rule"?, "left"?}], "from", "until"} -> {"ics", "events"}
Days are ISO, `until` included; `start` and `end` are ISO days or times, `left` are days that are left out.
"""

import json
import sys
from datetime import date, datetime, timedelta

import icalendar
import pytz
import recurring_ical_events


def moment(text, zone):
    if "T" not in text:
        return date.fromisoformat(text)
    read = datetime.fromisoformat(text)
    # icalendar only writes the names of pytz zones.
    return read if zone is None else pytz.timezone(zone).localize(read)


def days_of(component, home):
    start = component["DTSTART"].dt
    end = component["DTEND"].dt if "DTEND" in component else None
    if end is None:
        end = start + component["DURATION"].dt if "DURATION" in component else None
    if not isinstance(start, datetime):
        last = (end or start + timedelta(days=1)) - timedelta(days=1)
        return start, max(start, last)
    if start.tzinfo is not None:
        start = start.astimezone(pytz.timezone(home))
        end = end.astimezone(pytz.timezone(home)) if end else None
    last = end - timedelta(microseconds=1) if end and end > start else start
    return start.date(), last.date()


def read(calendar, asked):
    first, until = date.fromisoformat(asked["from"]), date.fromisoformat(asked["until"])
    home = asked.get("home", "UTC")
    events = {}
    for component in calendar.walk("VEVENT"):
        if "RECURRENCE-ID" in component:
            continue
        categories = component.get("CATEGORIES")
        events[str(component["UID"])] = {
            "uid": str(component["UID"]),
            "name": str(component.get("SUMMARY", "")),
            "description": str(component.get("DESCRIPTION", "")),
            "tags": [str(one) for one in categories.cats] if categories is not None else [],
            "days": set(),
        }
    # One more day at each end, as moments in other zones can fall on a neighbouring day.
    around = recurring_ical_events.of(calendar).between(first - timedelta(days=2), until + timedelta(days=3))
    for component in around:
        begin, last = days_of(component, home)
        day = max(begin, first)
        while day <= min(last, until):
            events[str(component["UID"])]["days"].add(day.isoformat())
            day += timedelta(days=1)
    return [{**event, "days": sorted(event["days"])} for event in events.values()]


def write(asked):
    calendar = icalendar.Calendar()
    calendar.add("prodid", "-//python//test//EN")
    calendar.add("version", "2.0")
    for one in asked["events"]:
        event = icalendar.Event()
        zone = one.get("zone")
        event.add("uid", one["uid"])
        event.add("summary", one["name"])
        event.add("dtstart", moment(one["start"], zone))
        if one.get("end"):
            event.add("dtend", moment(one["end"], zone))
        if one.get("description"):
            event.add("description", one["description"])
        if one.get("tags"):
            event.add("categories", one["tags"])
        if one.get("rule"):
            event.add("rrule", icalendar.vRecur.from_ical(one["rule"]))
        for left in one.get("left", []):
            event.add("exdate", moment(left, zone))
        calendar.add_component(event)
    return calendar.to_ical().decode()


asked = json.load(sys.stdin)
text = asked["ics"] if "ics" in asked else write(asked)
json.dump({"ics": text, "events": read(icalendar.Calendar.from_ical(text), asked)}, sys.stdout)
