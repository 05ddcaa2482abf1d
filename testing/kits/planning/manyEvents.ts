import type { Database } from '#platform/server/database/database.ts';
import type { EventDraft } from '#tools/calendar/events/domain/event.ts';
import { createRevisionStore, createEditStore } from '#tools/calendar/events/server/store/editStore.ts';
import { createSearchIndex } from '#tools/calendar/events/server/store/placeEvents.ts';
import { createEventLimit, saveEvents } from '#tools/calendar/events/server/store/saveEvents.ts';
import { createTagStore } from '#tools/calendar/events/server/store/tagStore.ts';

const BATCH_SIZE = 2000;

/** A plain event on one day, for tests to extend. */
export const PLAIN_DRAFT: Omit<EventDraft, 'name' | 'day'> = {
  description: '',
  time: undefined,
  endTime: undefined,
  pattern: { kind: 'single' },
  exceptions: [],
  tags: [],
  pinned: undefined,
};

/** Stores many events of an account like its own saves; returns their ids in order. */
export async function fillCalendar(
  database: Database,
  account: number,
  drafts: readonly EventDraft[],
): Promise<readonly number[]> {
  const stores = {
    revisions: createRevisionStore(database),
    tags: createTagStore(database),
    edits: createEditStore(database),
    search: createSearchIndex(),
    eventLimit: createEventLimit(),
  };
  const writing = { account, author: { address: '127.0.0.1', by: 'page' }, now: 1_795_262_400_000 } as const;
  const ids: number[] = [];
  for (let start = 0; start < drafts.length; start += BATCH_SIZE) {
    const changes = drafts.slice(start, start + BATCH_SIZE).map((draft) => ({ id: 0, draft }));
    const saved = await database.transaction(({ tx }) => saveEvents(tx, stores, changes, writing));
    ids.push(...saved.map(({ id }) => id));
  }
  return ids;
}
