import type { Generated, Selectable } from 'kysely';
import type { Database } from '#platform/server/database/database.ts';
import type { Note } from '../domain/note.ts';

type ExampleTables = {
  /** `created` is in milliseconds since the epoch. */
  example_note: { id: Generated<number>; account: number; text: string; created: number };
};

type NoteRow = Omit<Selectable<ExampleTables['example_note']>, 'account'>;

const toNote = ({ id, text, created }: NoteRow): Note => ({
  id,
  text,
  created: Temporal.Instant.fromEpochMilliseconds(created).toString(),
});

/** Creates the database access for notes. */
export function createNoteStore({ db: untypedDb }: Database) {
  const db = untypedDb.$extendTables<ExampleTables>();

  async function insert(account: number, text: string, created: Temporal.Instant): Promise<Note> {
    const row = await db
      .insertInto('example_note')
      .values({ account, text, created: created.epochMilliseconds })
      .returning(['id', 'text', 'created'])
      .executeTakeFirstOrThrow();
    return toNote(row);
  }

  /** Lists the notes of an account, newest first. */
  async function list(account: number): Promise<readonly Note[]> {
    const rows = await db
      .selectFrom('example_note')
      .select(['id', 'text', 'created'])
      .where('account', '=', account)
      .orderBy('id', 'desc')
      .execute();
    return rows.map(toNote);
  }

  async function count(account: number): Promise<number> {
    const row = await db
      .selectFrom('example_note')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('account', '=', account)
      .executeTakeFirstOrThrow();
    return row.count;
  }

  /** Deletes a note. Returns false if the account has no note with this id. */
  async function remove(account: number, id: number): Promise<boolean> {
    const row = await db
      .deleteFrom('example_note')
      .where('account', '=', account)
      .where('id', '=', id)
      .returning('id')
      .executeTakeFirst();
    return row !== undefined;
  }

  return { insert, list, count, remove };
}

export type NoteStore = ReturnType<typeof createNoteStore>;
