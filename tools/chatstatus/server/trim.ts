import type { Database } from '#platform/server/database/database.ts';
import { isSamePresence, UNKNOWN } from '../domain/status.ts';
import { carriedOver, keptFrom } from './keeping.ts';
import { statusStore } from './statusStore.ts';

/** Removes what is older than a year, and who has nothing left and is not recorded any more. */
export const trimHistory = async ({ transaction, db }: Database, now: number): Promise<void> => {
  const from = keptFrom(now);
  for (const { id } of await statusStore(db).everybody())
    await transaction(async ({ tx }) => {
      const store = statusStore(tx);
      const carried = carriedOver(await store.changeAt(id, from), from);
      if (!carried) return;
      await store.removeUntil(id, from);
      if (!isSamePresence(carried.presence, UNKNOWN)) await store.write([{ ...carried, member: id }]);
      else await store.removeIfForgotten(id);
    });
};
