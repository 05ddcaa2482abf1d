import { spawnSync } from 'node:child_process';
import { findProgram, getSkipReason } from '#testing/machine.ts';
import { importevents, makecalendarfeed } from '#tools/calendar/contract/exchange.ts';
import type { EventDraft } from '#tools/calendar/events/domain/event.ts';
import { formatIcs, PRODUCT } from '#tools/calendar/exchange/domain/icsWriter.ts';
import { signUpOwner } from './account.ts';
import { measureRadicaleFile } from './baselines/radicale.ts';
import { createEventDrafts } from './calendar.ts';
import { formatMs, percentile, runPegboard, type Bench } from './measure.ts';

const EVENTS = 5000;
const FEEDS = 20;
const FEED_TARGET_MS = 200;
const IMPORT_TARGET_MS = 3000;

/** The events as a file of another program. */
const formatFile = (drafts: readonly EventDraft[]): string =>
  formatIcs(
    drafts.map((draft, index) => ({
      ...draft,
      id: index + 1,
      uid: `bench-${index}`,
      resource: `${index}.ics`,
      subscription: undefined,
      parent: undefined,
      replaces: undefined,
      created: Date.now(),
      edited: Date.now(),
      revision: index,
    })),
  ).replace(PRODUCT, '-//bench//');

async function measureDuration<T>(
  work: () => Promise<T>,
): Promise<{ readonly durationMs: number; readonly result: T }> {
  const startedAt = performance.now();
  const result = await work();
  return { durationMs: performance.now() - startedAt, result };
}

async function measurePegboard(text: string) {
  await using server = await runPegboard({ RATE_LIMITS: 'off' });
  const { call } = await signUpOwner(server.origin);
  const imported = await measureDuration(() => call(importevents, { text }));
  if (imported.result.added !== EVENTS) throw new Error(`imported ${imported.result.added} events`);
  const { path = '' } = await call(makecalendarfeed, {});
  const feeds: number[] = [];
  for (let round = 0; round < FEEDS; round += 1) {
    const { durationMs, result } = await measureDuration(async () => (await fetch(server.origin + path)).text());
    if (result.split('BEGIN:VEVENT').length - 1 !== EVENTS) throw new Error('the feed lacks events');
    if (round >= 3) feeds.push(durationMs);
  }
  return { imported: imported.durationMs, feed: percentile(feeds, 0.5) };
}

const PARSE = `
import sys, time, icalendar
text = sys.stdin.buffer.read()
startedAt = time.perf_counter()
calendar = icalendar.Calendar.from_ical(text)
assert len(calendar.walk("VEVENT")) == ${EVENTS}
print((time.perf_counter() - startedAt) * 1000)
`;

/** Measures how long python3-icalendar takes to parse the same file without storing anything. */
function measurePythonParser(text: string): string {
  const skipReason = getSkipReason('icalendar');
  if (skipReason !== undefined) return skipReason;
  const { status, stdout, stderr } = spawnSync('/usr/bin/python3', ['-c', PARSE], { input: text, encoding: 'utf8' });
  if (status !== 0) throw new Error(`python failed: ${stderr}`);
  return `${formatMs(Number(stdout))} (python3-icalendar reads it, and keeps nothing)`;
}

export const calendarFeedBench: Bench = {
  name: 'calendarfeed',
  run: async () => {
    const drafts = createEventDrafts(EVENTS);
    const text = formatFile(drafts);
    const program = findProgram('radicale');
    const radicaleFile = program === undefined ? undefined : await measureRadicaleFile(program, drafts);
    const pegboard = await measurePegboard(text);
    return [
      {
        name: 'calendar: the feed of 5,000 events',
        target: `under ${FEED_TARGET_MS} ms`,
        measured: `p50 ${formatMs(pegboard.feed)}`,
        baseline: radicaleFile
          ? `${formatMs(radicaleFile.durationMs)} (Radicale, the same events as one file)`
          : (getSkipReason('radicale') ?? ''),
        isTargetMet: pegboard.feed < FEED_TARGET_MS,
      },
      {
        name: 'calendar: import of 5,000 events',
        target: 'under 3 s',
        measured: `${(pegboard.imported / 1000).toFixed(2)} s`,
        baseline: measurePythonParser(text),
        isTargetMet: pegboard.imported < IMPORT_TARGET_MS,
      },
    ];
  },
};
