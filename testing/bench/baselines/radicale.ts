// Measures Debian's Radicale at queries for the events of some days.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { toIso, type Day } from '#platform/contract/day.ts';
import { getDurationEnd, type EventDraft } from '#tools/calendar/events/domain/event.ts';
import { findFreePort } from '../../journeys/program.ts';
import { createScratchFolder } from '../measure.ts';

const formatDate = (day: Day): string => toIso(day).replaceAll('-', '');

function formatLines({ day, pattern }: EventDraft): readonly string[] {
  const last = pattern.kind === 'duration' ? getDurationEnd(day, pattern.duration) : day;
  const dates = [`DTSTART;VALUE=DATE:${formatDate(day)}`, `DTEND;VALUE=DATE:${formatDate(last + 1)}`];
  if (pattern.kind !== 'repeat') return dates;
  const { every, unit } = pattern.repeat;
  return [...dates, `RRULE:FREQ=${unit === 'week' ? 'WEEKLY' : 'YEARLY'};INTERVAL=${every}`];
}

const formatFile = (draft: EventDraft, index: number): string =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//bench//',
    'BEGIN:VEVENT',
    `UID:${index}`,
    'DTSTAMP:20260101T000000Z',
    `SUMMARY:${draft.name}`,
    `DESCRIPTION:${draft.description}`,
    ...formatLines(draft),
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\r\n');

const report = (from: Day, until: Day): string => `<?xml version="1.0" encoding="utf-8"?>
<C:calendar-query xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav">
  <D:prop><D:getetag/><C:calendar-data/></D:prop>
  <C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT">
    <C:time-range start="${formatDate(from)}T000000Z" end="${formatDate(until + 1)}T000000Z"/>
  </C:comp-filter></C:comp-filter></C:filter>
</C:calendar-query>`;

interface ReportQuery {
  readonly events: readonly EventDraft[];
  readonly from: Day;
  readonly until: Day;
}

/** A folder in memory: Radicale syncs each file of its cache, so on a disk the first report would take 15 minutes. */
const MEMORY = '/dev/shm';

/** Runs Radicale with these events in one calendar. */
async function withRadicale<T>(
  program: string,
  events: readonly EventDraft[],
  ask: (origin: string) => Promise<T>,
): Promise<T> {
  await using folder = await createScratchFolder(existsSync(MEMORY) ? MEMORY : tmpdir());
  const calendar = join(folder.path, 'collection-root', 'bench', 'calendar');
  await mkdir(calendar, { recursive: true });
  await writeFile(join(calendar, '.Radicale.props'), JSON.stringify({ tag: 'VCALENDAR' }));
  for (const [index, event] of events.entries())
    await writeFile(join(calendar, `${index}.ics`), formatFile(event, index));

  const port = await findFreePort();
  const settings = [
    `--server-hosts=127.0.0.1:${port}`,
    '--server-timeout=0',
    '--auth-type=none',
    `--storage-filesystem-folder=${folder.path}`,
    '--logging-level=error',
  ];
  const radicale = spawn(program, ['--config', '', ...settings], { stdio: ['ignore', 'ignore', 'inherit'] });
  const origin = `http://127.0.0.1:${port}`;
  const isUp = async (): Promise<boolean> =>
    fetch(origin, { redirect: 'manual' }).then(
      () => true,
      () => false, // Not listening yet.
    );
  try {
    while (!(await isUp())) {
      if (radicale.exitCode !== null) throw new Error(`Radicale ended with ${radicale.exitCode}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return await ask(origin);
  } finally {
    const exited = once(radicale, 'exit');
    radicale.kill('SIGTERM');
    await exited;
  }
}

interface TimedRequest {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly expects: number;
}

/** Requests the calendar; returns the time and the answer. Without fetch, which has a timeout of five minutes. */
async function requestCalendar(origin: string, { method, headers = {}, body, expects }: TimedRequest) {
  const startedAt = performance.now();
  const outgoing = request(`${origin}/bench/calendar/`, { method, headers, auth: 'bench:bench' }).end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const responseText = await text(response);
  if (response.statusCode !== expects)
    throw new Error(`Radicale answered ${response.statusCode}: ${responseText.slice(0, 300)}`);
  return { durationMs: performance.now() - startedAt, found: responseText.split('BEGIN:VEVENT').length - 1 };
}

/**
 * Measures a time-range REPORT, the fastest of three after the first one, which fills Radicale's cache;
 * returns its answer too.
 */
export async function measureRadicaleReport(program: string, { events, from, until }: ReportQuery) {
  return withRadicale(program, events, async (origin) => {
    const ask = () =>
      requestCalendar(origin, {
        method: 'REPORT',
        headers: { depth: '1', 'content-type': 'application/xml' },
        body: report(from, until),
        expects: 207,
      });
    await ask();
    const all = [await ask(), await ask(), await ask()] as const;
    return { ...all[0], durationMs: Math.min(...all.map(({ durationMs }) => durationMs)) };
  });
}

/** Measures how long Radicale takes to return the whole calendar as one file, on the second request. */
export async function measureRadicaleFile(program: string, events: readonly EventDraft[]) {
  return withRadicale(program, events, async (origin) => {
    const ask = () => requestCalendar(origin, { method: 'GET', expects: 200 });
    await ask();
    return ask();
  });
}
