import type { EndpointResponse } from '#platform/server/http/endpoint.ts';
import { formatIcsInstant } from '../../exchange/domain/icsText.ts';
import { PRODUCT } from '../../exchange/domain/icsWriter.ts';
import type { PropertyLine } from '../../exchange/server/ics/contentLines.ts';
import { createLimitError } from './calendarData.ts';
import { type ComponentTree, formatComponentTree, findProperty } from './componentTree.ts';
import { loadTexts } from './davObjects.ts';
import { DavError, type DavTarget } from './davRequest.ts';
import { isWithin, parseTimeRange, type TimeRange } from './filter.ts';
import type { CalendarObject } from './instances.ts';
import { createObjectReader, getHomeZone, iterateObjectsNear, readScope } from './query.ts';
import { type Element, tag } from './xml.ts';

type BusyType = 'BUSY' | 'BUSY-TENTATIVE';

/** A busy time, in milliseconds since the epoch. */
export interface BusyPeriod {
  readonly type: BusyType;
  readonly start: number;
  readonly end: number;
}

/** RFC 4791 section 7.10: the busy type by an event's `TRANSP` and `STATUS`. Undefined is free. */
function getBusyType(component: ComponentTree): BusyType | undefined {
  const getValue = (name: string): string | undefined => findProperty(component, name)?.value.trim().toUpperCase();
  const status = getValue('STATUS');
  if (getValue('TRANSP') === 'TRANSPARENT' || status === 'CANCELLED') return undefined;
  return status === 'TENTATIVE' ? 'BUSY-TENTATIVE' : 'BUSY';
}

/** Maximum number of periods that one answer is computed from. */
const MAX_PERIODS = 50_000;

function listPeriods({ series, budget }: CalendarObject, range: TimeRange): readonly BusyPeriod[] {
  const periods: BusyPeriod[] = [];
  for (const { component, from, until } of series.iterateInstances(range, budget)) {
    const type = getBusyType(component);
    if (type === undefined || from === until || !isWithin(range, from, until)) continue;
    periods.push({ type, start: Math.max(from, range.start), end: Math.min(until, range.end) });
    if (periods.length > MAX_PERIODS) throw createLimitError();
  }
  if (budget.left <= 0) throw createLimitError();
  return periods;
}

/** Sorts periods, and joins adjacent or overlapping ones of one type. */
export function coalescePeriods(periods: readonly BusyPeriod[]): readonly BusyPeriod[] {
  const inOrder = periods.toSorted((one, other) => one.start - other.start || one.end - other.end);
  const last = new Map<BusyType, number>();
  const joined: BusyPeriod[] = [];
  for (const period of inOrder) {
    const index = last.get(period.type);
    const before = index === undefined ? undefined : joined[index];
    if (index !== undefined && before !== undefined && before.end >= period.start)
      joined[index] = { ...before, end: Math.max(before.end, period.end) };
    else last.set(period.type, joined.push(period) - 1);
  }
  return joined;
}

const createLine = (name: string, value: string, parameters = ''): PropertyLine => ({
  name,
  head: name + parameters,
  value,
});

/** Creates the properties that only bounded ranges have. */
const createBoundLines = ({ start, end }: TimeRange): readonly PropertyLine[] => [
  ...(Number.isFinite(start) ? [createLine('DTSTART', formatIcsInstant(start))] : []),
  ...(Number.isFinite(end) ? [createLine('DTEND', formatIcsInstant(end))] : []),
];

function formatFreeBusy(periods: readonly BusyPeriod[], range: TimeRange, now: number): string {
  const busy = periods.map(({ type, start, end }) =>
    createLine(
      'FREEBUSY',
      `${formatIcsInstant(start)}/${formatIcsInstant(end)}`,
      type === 'BUSY' ? '' : `;FBTYPE=${type}`,
    ),
  );
  const stamp = formatIcsInstant(now);
  const properties = [
    createLine('UID', `free-busy-${stamp}`),
    createLine('DTSTAMP', stamp),
    ...createBoundLines(range),
    ...busy,
  ];
  return formatComponentTree({
    name: 'VCALENDAR',
    properties: [createLine('VERSION', '2.0'), createLine('PRODID', PRODUCT)],
    components: [{ name: 'VFREEBUSY', properties, components: [] }],
  });
}

function parseRange(report: Element): TimeRange {
  const [range, second] = report.children.filter(({ name }) => name === 'c:time-range');
  if (range === undefined || second !== undefined) throw new DavError(400);
  return parseTimeRange(range, () => new DavError(400));
}

/** RFC 4791 section 7.10 `free-busy-query`: when the account's events make it busy. */
export async function handleFreeBusyQuery(davRequest: DavTarget, report: Element): Promise<EndpointResponse> {
  const range = parseRange(report);
  const scope = await readScope(davRequest);
  if (scope.kind === 'object') throw new DavError(403, tag('d:supported-report'));
  const read = createObjectReader(await getHomeZone(davRequest));
  const periods: BusyPeriod[] = [];
  for await (const objects of scope.kind === 'nothing' ? [] : iterateObjectsNear(davRequest, range)) {
    for (const text of await loadTexts(davRequest, objects))
      periods.push(...read(text, (object) => listPeriods(object, range)));
    if (periods.length > MAX_PERIODS) throw createLimitError();
  }
  const body = formatFreeBusy(coalescePeriods(periods), range, davRequest.now().epochMilliseconds);
  return { status: 200, headers: { 'content-type': 'text/calendar; charset=utf-8' }, body };
}
