import type { RequestInputOf } from '#platform/contract/call.ts';
import { newevent } from '#tools/calendar/contract/events.ts';
import { toIso, toWire, type Day } from '#tools/calendar/events/domain/day.ts';
import type { TestAccount } from '../server/server.ts';

/** Today of this machine's clock and zone, as a page of it sees it too. */
const today = (): Day => {
  const now = new Date();
  return Math.round(Date.UTC(now.getFullYear(), now.getMonth(), now.getDate()) / 86_400_000);
};

/** The day so many days from today: `DD-MM-YYYY`. */
export function formatWireDay(fromToday: number): string {
  return toWire(today() + fromToday);
}
/** The same as an address has it: `YYYY-MM-DD`. */
export function formatIsoDay(fromToday: number): string {
  return toIso(today() + fromToday);
}

type EventData = RequestInputOf<typeof newevent>['data'];

/** Makes an event today, or changes one, and gives its id. */
export async function createEvent(
  account: TestAccount,
  data: Partial<EventData> & Pick<EventData, 'name'>,
): Promise<number> {
  return (await account.call(newevent, { data: { id: 0, date: formatWireDay(0), ...data } })).data.id;
}
