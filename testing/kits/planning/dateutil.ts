import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { type Day, toCivilDate } from '#platform/contract/day.ts';
import type { Repeat } from '#tools/calendar/events/domain/event.ts';

/** A repeat, the day of its event, and the range of days to expand. */
export interface RepeatQuery {
  readonly day: Day;
  readonly repeat: Repeat;
  readonly from: Day;
  readonly until: Day;
}

// Passes rules to python3-dateutil as RRULEs: clamping becomes the last of the days 28 to 31, and counting both ways
// starts some steps earlier. Bounds and `relative` counts are applied to dateutil's result.
const SCRIPT = `
import sys, json
from datetime import datetime, timedelta
from dateutil.rrule import rrule, DAILY, WEEKLY, MONTHLY, YEARLY
EPOCH = datetime(1970, 1, 1).toordinal()
FIRST, LAST = datetime.min, datetime.max.replace(hour=0, minute=0, second=0, microsecond=0)
at = lambda day: datetime.fromordinal(day + EPOCH)
def rule(day, every, unit, begin):
    anchor = at(day)
    if unit in ('day', 'week'):
        step = every * (7 if unit == 'week' else 1)
        back = max(0, -((begin - day) // step)) if begin < day else 0
        while day - back * step < FIRST.toordinal() - EPOCH: back -= 1
        return rrule(WEEKLY if unit == 'week' else DAILY, interval=every, dtstart=at(day - back * step))
    start = at(begin)
    month = anchor.year * 12 + anchor.month - 1
    step = every * (12 if unit == 'year' else 1)
    while month - step >= 12 and month > start.year * 12 + start.month - 1: month -= step
    days = [anchor.day] if anchor.day <= 28 else list(range(28, anchor.day + 1))
    dtstart = datetime(month // 12, month % 12 + 1, 1)
    if unit == 'year':
        return rrule(YEARLY, interval=every, bymonth=anchor.month, bymonthday=days, bysetpos=-1, dtstart=dtstart)
    return rrule(MONTHLY, interval=every, bymonthday=days, bysetpos=-1, dtstart=dtstart)
def known(rule):
    try: yield from rule
    except ValueError: return  # Its last week goes on behind the year 9999, where Python's calendar ends.
for line in sys.stdin:
    ask = json.loads(line)
    day, frm, until = ask['day'], ask['from'], ask['until']
    low, high = FIRST, LAST
    if frm['type'] != 'forever': low = at(frm['day'])
    if until['type'] == 'date': high = at(until['day'])
    if until['type'] == 'times':
        counted = day if frm['type'] == 'forever' else frm['day']
        left = until['times'] + 1
        for found in known(rule(day, ask['every'], ask['unit'], counted)):
            if found < at(counted): continue
            left -= 1
            if left == 0:
                high = found
                break
    low, high = max(low, at(ask['first'])), min(high, at(ask['last']))
    found = []
    if low <= high:
        for each in known(rule(day, ask['every'], ask['unit'], ask['first'])):
            if each > high: break
            if each >= low: found.append(each)
    print(json.dumps([each.toordinal() - EPOCH for each in found]), flush=True)
`;

/** Expands repeats with python3-dateutil, in one process and in order. */
export async function expandWithDateutil(all: readonly RepeatQuery[]): Promise<readonly (readonly Day[])[]> {
  const python = spawn('/usr/bin/python3', ['-c', SCRIPT], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = all.map(({ day, repeat, from, until }) => JSON.stringify({ ...repeat, day, first: from, last: until }));
  python.stdin.end(lines.join('\n') + '\n');
  const answers: (readonly Day[])[] = [];
  for await (const line of createInterface({ input: python.stdout })) answers.push(JSON.parse(line) as readonly Day[]);
  if (answers.length !== all.length) throw new Error(`dateutil answered ${answers.length} of ${all.length} rules`);
  return answers;
}

/** Describes a query for the message of a failed test. */
export function describeRepeatQuery({ day, repeat }: RepeatQuery): string {
  return JSON.stringify({ ...toCivilDate(day), ...repeat });
}
