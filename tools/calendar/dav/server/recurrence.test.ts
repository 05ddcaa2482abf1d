import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { getSkipReason } from '#testing/machine.ts';
import { iterateRuleTimes } from './recurrence.ts';

const run = promisify(execFile);

const parseLocalMs = (iso: string): number => Date.parse(`${iso}Z`);
const formatLocalMs = (localMs: number): string => new Date(localMs).toISOString().slice(0, 19);

interface Question {
  readonly rule: string;
  readonly start: string;
  readonly from: string;
  readonly until: string;
}

const listTimes = ({ rule, start, from, until }: Question): readonly string[] =>
  [
    ...iterateRuleTimes(rule, parseLocalMs(start), {
      from: parseLocalMs(from),
      until: parseLocalMs(until),
      budget: { left: 1_000_000 },
    }),
  ].map(formatLocalMs);

// Each is tested from its start, and years later.
const RULES = [
  'FREQ=DAILY',
  'FREQ=DAILY;INTERVAL=3;COUNT=900',
  'FREQ=DAILY;BYHOUR=8,20',
  'FREQ=DAILY;BYHOUR=8,20;BYMINUTE=0,30;COUNT=1001',
  'FREQ=DAILY;BYHOUR=7',
  'FREQ=DAILY;BYHOUR=7,9,11;BYSETPOS=-1,1',
  'FREQ=WEEKLY;BYDAY=MO,WE,FR;BYHOUR=6,18',
  'FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=SU,TU',
  'FREQ=WEEKLY;BYDAY=MO,TU;BYHOUR=9,10;BYSETPOS=2,-1',
  'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1',
  'FREQ=MONTHLY;BYMONTHDAY=1,-1;BYHOUR=0,23;BYSETPOS=1,-1',
  'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29',
  'FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO',
  'FREQ=YEARLY;BYDAY=1SU;BYMONTH=4;BYHOUR=2;BYMINUTE=30',
  'FREQ=HOURLY',
  'FREQ=HOURLY;INTERVAL=5',
  'FREQ=HOURLY;INTERVAL=7;COUNT=2500',
  'FREQ=HOURLY;BYHOUR=9,12,15;BYDAY=MO,TU',
  'FREQ=HOURLY;BYMINUTE=0,20,40;BYMONTHDAY=1,15',
  'FREQ=HOURLY;BYMINUTE=10,50;BYSETPOS=-1',
  'FREQ=MINUTELY;INTERVAL=90',
  'FREQ=MINUTELY;INTERVAL=20;BYHOUR=9,10',
  'FREQ=MINUTELY;INTERVAL=45;BYDAY=SA;BYMONTH=1,6',
  'FREQ=MINUTELY;BYSECOND=0,30;BYMINUTE=5;BYHOUR=12',
  'FREQ=SECONDLY;INTERVAL=3601',
  'FREQ=SECONDLY;INTERVAL=30;BYMINUTE=0;BYHOUR=3',
] as const;

const START = '2024-01-01T09:30:15';
const QUESTIONS: readonly Question[] = RULES.flatMap((rule) => [
  { rule, start: START, from: START, until: '2024-02-20T00:00:00' },
  { rule, start: START, from: '2026-03-28T05:00:00', until: '2026-06-14T09:30:15' },
]);

const SCRIPT = `
import sys, json
from datetime import datetime
from dateutil.rrule import rrulestr
def answer(ask):
    at = datetime.fromisoformat
    rule = rrulestr(ask['rule'], dtstart=at(ask['start']))
    return [found.isoformat() for found in rule.between(at(ask['from']), at(ask['until']), inc=True)]
print(json.dumps([answer(ask) for ask in json.loads(sys.argv[1])]))
`;

const lack = getSkipReason('dateutil');
describe.skipIf(lack)(`python3-dateutil (${lack ?? 'of Debian'})`, () => {
  test('a rule has the same times, at its start and years later', async () => {
    const { stdout } = await run('/usr/bin/python3', ['-c', SCRIPT, JSON.stringify(QUESTIONS)], {
      maxBuffer: 64 * 1024 * 1024,
    });
    const expected: unknown = JSON.parse(stdout);
    const answers = QUESTIONS.map((question) => ({ ...question, times: listTimes(question) }));
    expect(answers).toEqual(QUESTIONS.map((question, at) => ({ ...question, times: (expected as unknown[])[at] })));
    expect(answers.flatMap(({ times }) => times).length).toBeGreaterThan(10_000);
  });
});

test('a rule of every second costs only its range, and one that never matches ends', () => {
  const budget = { left: 10_000 };
  const window = { from: parseLocalMs('2090-01-01T00:00:00'), until: parseLocalMs('2090-01-01T00:00:09'), budget };
  expect([...iterateRuleTimes('FREQ=SECONDLY', parseLocalMs('1971-01-01T00:00:00'), window)]).toHaveLength(10);
  expect(budget.left).toBeGreaterThan(5000);
  const never = { from: 0, until: Number.POSITIVE_INFINITY, budget: { left: 50_000 } };
  expect([...iterateRuleTimes('FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=31', 0, never)]).toEqual([]);
  expect([...iterateRuleTimes('FREQ=SOMETIMES', 0, never)]).toEqual([]);
});
