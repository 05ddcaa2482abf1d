import { expect } from 'vitest';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { idColumn, deleteOldestRows } from './columns.ts';

testOnBothDatabases(
  'the newest rows of each group remain, and a cleanup below the threshold removes none',
  async ({ open }) => {
    await using database = await open();
    const db = database.db.$extendTables<{ note: { id: number; owner: number; page: number } }>();
    await db.schema
      .createTable('note')
      .$call(idColumn(database.db))
      .addColumn('owner', 'integer')
      .addColumn('page', 'integer')
      .execute();
    const addNotes = (owner: number, count: number) =>
      db
        .insertInto('note')
        .values(Array.from({ length: count }, () => ({ owner, page: 7 })) as never)
        .execute();
    const listIds = async (owner: number): Promise<readonly number[]> =>
      (await db.selectFrom('note').select('id').where('owner', '=', owner).orderBy('id').execute()).map(({ id }) => id);
    await addNotes(1, 30);
    await addNotes(2, 200);
    await addNotes(1, 19);
    const cleanUp = () => deleteOldestRows(database.db, 'note', { owner: 1, page: 7 }, 30);
    await cleanUp();
    expect(await listIds(1)).toHaveLength(49);
    await addNotes(1, 1);
    await cleanUp();
    expect(await listIds(1)).toEqual([
      ...Array.from({ length: 10 }, (_, index) => 21 + index),
      ...Array.from({ length: 20 }, (_, index) => 231 + index),
    ]);
    expect(await listIds(2)).toHaveLength(200);
  },
);
