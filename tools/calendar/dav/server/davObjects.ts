import { styleOf, type CalendarEvent } from '../../events/domain/event.ts';
import type { Calendar } from '../../events/server/calendar.ts';

/** What CalDAV keeps under one address: an event with the changed days of its repeat. */
export interface DavObject {
  readonly event: CalendarEvent;
  readonly children: readonly CalendarEvent[];
}

/**
 * Strong: changes with every change of the event and of its changed days, for those count as changes of it. The time beside the count tells it
 * apart from one of before a backup was restored.
 */
export const etagOf = ({ event }: DavObject): string => `"${event.revision}-${event.edited.toString(36)}"`;

const isWhole = ({ parent }: CalendarEvent): boolean => parent === undefined;

/** Objects of events; changed days alone among them stand for nothing. */
export const objectsOf = async (
  calendar: Calendar,
  account: number,
  events: readonly CalendarEvent[],
): Promise<readonly DavObject[]> => {
  const whole = events.filter(isWhole);
  const repeats = whole.filter(({ pattern }) => styleOf(pattern) === 'repeat');
  const children =
    repeats.length === 0
      ? []
      : await calendar.childrenOf(
          account,
          repeats.map(({ id }) => id),
        );
  const byParent = Map.groupBy(children, ({ parent }) => parent);
  return whole.map((event) => ({ event, children: byParent.get(event.id) ?? [] }));
};

export const objectNamed = async (
  calendar: Calendar,
  account: number,
  resource: string,
): Promise<DavObject | undefined> =>
  (await objectsOf(calendar, account, await calendar.byResource(account, [resource])))[0];

const BATCH = 100;

/** Lets others have their turn between two batches. */
const pause = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** A list in batches, with a pause before each but the first. */
export async function* inBatches<T>(list: Iterable<T> | AsyncIterable<T>): AsyncGenerator<readonly T[], void> {
  let batch: T[] = [];
  for await (const one of list) {
    batch.push(one);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
    await pause();
  }
  if (batch.length > 0) yield batch;
}

/** All objects of an account, some at a time. */
export async function* everyObject(calendar: Calendar, account: number): AsyncGenerator<readonly DavObject[], void> {
  for await (const events of inBatches(calendar.all(account))) yield await objectsOf(calendar, account, events);
}
