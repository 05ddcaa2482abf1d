import { handle, type ServerContext, type Handler } from '#platform/server/tool.ts';
import { exportusage, JSON_FILE } from '../../contract.ts';
import { UNASSIGNED } from '../../contract/limits.ts';
import { toIso } from '../../usage/domain/date.ts';
import { wireName } from '../../usage/domain/wireName.ts';
import type { DayRange } from '../domain/daySums.ts';
import { CSV_HEAD, csvLine, jsonOf, type ExportedInterval } from './exported.ts';
import { PERIOD_LIMIT, periodOf, scopeOf } from './requestFields.ts';
import type { Sources } from './sources.ts';
import type { Scope } from './usageQueries.ts';
import { daysIn, keptDays } from './usedDays.ts';

/** So much is in memory at once, and others are answered in between. */
const DAYS_PER_BATCH = 7;

/** What is shown for the numbers by which stretches are kept. */
const namesOf = async ({ usage, categories }: Sources, account: number) => {
  const [computers, applications, kept] = await Promise.all([
    usage.devices.list(account),
    usage.applications.list(account),
    categories.list(account),
  ]);
  return {
    computers: new Map(computers.map(({ id, name }) => [id, name])),
    categories: new Map(kept.map(({ id, name }) => [id, name])),
    applications: new Map(applications.map(({ id, name, category }) => [id, { name: wireName(name), category }])),
  };
};

/** In pieces of a few days, each in order of time. */
export async function* exportedStretches(
  sources: Sources,
  { account, device, days }: Scope,
  range: DayRange,
): AsyncGenerator<readonly ExportedInterval[]> {
  for (let { from } = range; from <= range.until; from += DAYS_PER_BATCH) {
    const until = Math.min(range.until, from + DAYS_PER_BATCH - 1);
    const bounds = { from: days.startOf(from), until: days.startOf(until + 1) };
    const all = await sources.usage.segments.between(account, { device, ...bounds });
    if (all.length === 0) continue;
    const { computers, categories, applications } = await namesOf(sources, account);
    const found = all.flatMap(({ device: computer, tracks }) =>
      tracks.flatMap(({ application, status, spans }) => {
        const { name = '', category = 0 } = applications.get(application) ?? {};
        const told = {
          computer: computers.get(computer) ?? '',
          application: name,
          category: categories.get(category) ?? UNASSIGNED,
          status,
        };
        return spans.map((span) => ({ ...told, from: span.from, until: span.until }));
      }),
    );
    yield found.toSorted((one, other) => one.from - other.from || one.until - other.until);
  }
}

const encoder = new TextEncoder();

async function* csv(pieces: AsyncIterable<readonly ExportedInterval[]>): AsyncGenerator<Uint8Array> {
  yield encoder.encode(CSV_HEAD);
  for await (const piece of pieces) if (piece.length > 0) yield encoder.encode(piece.map(csvLine).join(''));
}

async function* json(
  pieces: AsyncIterable<readonly ExportedInterval[]>,
  head: Readonly<Record<string, string>>,
): AsyncGenerator<Uint8Array> {
  yield encoder.encode(`${JSON.stringify(head).slice(0, -1)},"stretches":[`);
  let between = '\n';
  for await (const piece of pieces) {
    if (piece.length === 0) continue;
    yield encoder.encode(between + piece.map(jsonOf).join(',\n'));
    between = ',\n';
  }
  yield encoder.encode('\n]}\n');
}

export const exportCalls = (ground: ServerContext, sources: Sources): readonly Handler[] => [
  handle(exportusage, async ({ from, until, format, ...asked }, { account }) => {
    const { scope, place } = await scopeOf(ground, sources.usage, account, asked);
    const period = periodOf(from, until, PERIOD_LIMIT);
    const range = daysIn(period, await keptDays(sources, scope, place));
    const [first, last] = [toIso(period.from), toIso(period.until)];
    const pieces = exportedStretches(sources, scope, range);
    return format === 'csv'
      ? { type: 'text/csv', name: `screen-time-${first}-to-${last}.csv`, content: csv(pieces) }
      : {
          type: JSON_FILE,
          name: `screen-time-${first}-to-${last}.json`,
          content: json(pieces, { from: first, until: last, zone: place.days.zone }),
        };
  }),
];
