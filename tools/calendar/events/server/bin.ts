import { type ServerContext, handle, type Handler } from '#platform/server/tool.ts';
import { BIN_DAYS, deletedevents, emptybin, restoreevent } from '../../contract/events.ts';
import { DAY_MS, toWire } from '../domain/day.ts';
import { styleOf } from '../domain/event.ts';
import type { LiveCalendar } from './createCalendar.ts';
import { purgeBin, readBin, restoreEvent } from './store/binStore.ts';
import { wholeEvents } from './wholeEvents.ts';

const iso = (ms: number): string => new Date(ms).toISOString();

/** What the nightly round has not cleared away yet is over all the same. */
export const binBegins = (now: number): number => now - BIN_DAYS * DAY_MS;

export const binCalls = (ground: ServerContext, calendar: LiveCalendar): readonly Handler[] => {
  const { database, now } = ground;
  const { stores } = calendar;
  const { whole } = wholeEvents(ground, stores);

  return [
    handle(deletedevents, async (_request, { account }) => {
      const begins = binBegins(now().epochMilliseconds);
      const events = (await readBin(database.db, account)).filter(({ deleted }) => deleted >= begins);
      const tags = (await stores.tags.ownTags(account)).flatMap(({ name, colour, deleted }) =>
        deleted === undefined || deleted < begins ? [] : [{ name, colour, deleted }],
      );
      return {
        events: events.map(({ event: { id, name, day, pattern }, deleted }) => ({
          id,
          name,
          date: toWire(day),
          type: styleOf(pattern),
          deleted: iso(deleted),
        })),
        tags: tags
          .toSorted((one, other) => other.deleted - one.deleted)
          .map(({ deleted, ...tag }) => ({ ...tag, deleted: iso(deleted) })),
      };
    }),
    handle(restoreevent, async ({ id }, { account, address }) => {
      const by = { account, author: { address, by: 'page' }, now: now().epochMilliseconds } as const;
      const event = await calendar.change(account, undefined, async (tx) => restoreEvent(tx, stores, id, by));
      return { data: await whole(account, event) };
    }),
    handle(emptybin, async ({ id }, { account }) =>
      calendar.change(account, undefined, async (tx) => {
        await stores.book.raise(tx, account, 1);
        const time = now().epochMilliseconds;
        const events = await purgeBin(tx, { account, now: time, id });
        const tags = id === undefined ? await stores.tags.purge(tx, { account, before: Number.MAX_SAFE_INTEGER }) : 0;
        return { removed: events + tags };
      }),
    ),
  ];
};
