import type { Kysely } from 'kysely';

/** So many rows are beyond the limit before any goes: a sweep that removes none costs no disk. */
const getSlack = (kept: number): number => Math.max(20, Math.ceil(kept / 20));

type Rows = Record<string, Record<string, number>>;

/** Of the rows of a table that have these values the newest `kept` stay, by their `id`; older ones are removed, many at once. */
export const deleteOldestRows = async (
  ground: Kysely<unknown>,
  table: string,
  group: Readonly<Record<string, number>>,
  kept: number,
): Promise<void> => {
  const db = ground.$extendTables<Rows>();
  const nth = (place: number) =>
    db
      .selectFrom(table)
      .select('id')
      .where((is) => is.and(group))
      .orderBy('id', 'desc')
      .limit(1)
      .offset(place - 1);
  await db
    .deleteFrom(table)
    .where((is) => is.and(group))
    .where('id', '<', nth(kept))
    .where((is) => is.exists(nth(kept + getSlack(kept))))
    .execute();
};
