import type { RequestInputOf } from '#platform/contract/call.ts';
import { toIso, type Day } from '#platform/contract/day.ts';
import { DAY_MS } from '#platform/contract/duration.ts';
import { newevent } from '#tools/calendar/contract/events.ts';
import { toWire } from '#tools/calendar/events/domain/day.ts';
import type { TestAccount } from '../server/server.ts';

/** Today by the clock and zone of this machine, as its browser sees it too. */
function today(): Day {
  const now = new Date();
  return Math.round(Date.UTC(now.getFullYear(), now.getMonth(), now.getDate()) / DAY_MS);
}

/** Formats the day this many days from today as `DD-MM-YYYY`. */
export function formatWireDay(fromToday: number): string {
  return toWire(today() + fromToday);
}
/** Formats it as in an address: `YYYY-MM-DD`. */
export function formatIsoDay(fromToday: number): string {
  return toIso(today() + fromToday);
}

type EventData = RequestInputOf<typeof newevent>['data'];

/** Creates an event today, or changes one; returns its id. */
export async function createEvent(
  account: TestAccount,
  data: Partial<EventData> & Pick<EventData, 'name'>,
): Promise<number> {
  return (await account.call(newevent, { data: { id: 0, date: formatWireDay(0), ...data } })).data.id;
}

/** Reads all items of a stream. */
export async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}
