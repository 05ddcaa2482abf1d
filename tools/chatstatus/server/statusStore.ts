import type { Generated, Kysely } from 'kysely';
import type { Status, Change } from '../domain/status.ts';

/** Rows that are written in one statement: each has five values, and SQLite takes some 32,000. */
const WRITE_BATCH_SIZE = 1000;

/** Rows that are read in one go. */
const READ_BATCH_SIZE = 2000;

type ChangeRow = { member: number; at: number; status: string; pc: string; mobile: string };

type ChatStatusTables = {
  /** A person of a platform who asked to be recorded, once or still. `code` is the hash of the code that shows their days. */
  chatstatus_member: {
    id: Generated<number>;
    platform: string;
    person: string;
    code: string;
    recorded: number;
  };
  /** From `at` (seconds since the epoch) on they stood so, until their next row. */
  chatstatus_change: ChangeRow;
  /** When the server last knew how everybody of a platform stands, in seconds since the epoch. */
  chatstatus_beat: { platform: string; at: number };
};

/** A person of a platform who asked to be recorded. */
export interface Member {
  readonly id: number;
  readonly platform: string;
  /** As the platform names them. */
  readonly person: string;
  /** False after they stopped it. */
  readonly isRecorded: boolean;
}

/** A change of somebody's. */
export interface MemberChange extends Change {
  readonly member: number;
}

const memberColumns = ['id', 'platform', 'person', 'recorded'] as const;

const toMember = ({
  recorded,
  ...member
}: {
  readonly id: number;
  readonly platform: string;
  readonly person: string;
  readonly recorded: number;
}): Member => ({ ...member, isRecorded: recorded === 1 });

/** Statuses are written by this store alone. */
const toChange = ({ member, at, status, pc, mobile }: ChangeRow): MemberChange => ({
  member,
  at,
  presence: { both: status as Status, pc: pc as Status, mobile: mobile as Status },
});

const toRow = ({ member, at, presence }: MemberChange): ChangeRow => ({
  member,
  at,
  status: presence.both,
  pc: presence.pc,
  mobile: presence.mobile,
});

/** On the whole database, or within a transaction. */
export function statusStore(ground: Kysely<unknown>) {
  const db = ground.$extendTables<ChatStatusTables>();
  return {
    /** Who is recorded, of all platforms. */
    recorded: async (): Promise<readonly Member[]> => {
      const rows = await db.selectFrom('chatstatus_member').select(memberColumns).where('recorded', '=', 1).execute();
      return rows.map(toMember);
    },
    everybody: async (): Promise<readonly Member[]> =>
      (await db.selectFrom('chatstatus_member').select(memberColumns).execute()).map(toMember),
    memberOf: async (platform: string, person: string): Promise<Member | undefined> => {
      const row = await db
        .selectFrom('chatstatus_member')
        .select(memberColumns)
        .where('platform', '=', platform)
        .where('person', '=', person)
        .executeTakeFirst();
      return row && toMember(row);
    },
    byCode: async (codeHash: string): Promise<Member | undefined> => {
      const row = await db
        .selectFrom('chatstatus_member')
        .select(memberColumns)
        .where('code', '=', codeHash)
        .executeTakeFirst();
      return row && toMember(row);
    },
    /** Somebody who is recorded from now on; gives their id. */
    add: async (platform: string, person: string, codeHash: string): Promise<number> => {
      const { id } = await db
        .insertInto('chatstatus_member')
        .values({ platform, person, code: codeHash, recorded: 1 })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },
    setRecorded: async (member: number, isRecorded: boolean): Promise<void> => {
      await db
        .updateTable('chatstatus_member')
        .set({ recorded: isRecorded ? 1 : 0 })
        .where('id', '=', member)
        .execute();
    },
    setCode: async (member: number, codeHash: string): Promise<void> => {
      await db.updateTable('chatstatus_member').set({ code: codeHash }).where('id', '=', member).execute();
    },
    /** With all that was recorded of them. */
    remove: async (member: number): Promise<void> => {
      await db.deleteFrom('chatstatus_member').where('id', '=', member).execute();
    },
    /** Who has nothing left and is not recorded any more. One statement: they may begin again meanwhile. */
    removeIfForgotten: async (member: number): Promise<void> => {
      await db
        .deleteFrom('chatstatus_member')
        .where('id', '=', member)
        .where('recorded', '=', 0)
        .where((is) =>
          is.not(is.exists(is.selectFrom('chatstatus_change').select('member').where('member', '=', member))),
        )
        .execute();
    },
    /** Of two changes of one person in the same second the later one stands. */
    write: async (changes: readonly MemberChange[]): Promise<void> => {
      for (let at = 0; at < changes.length; at += WRITE_BATCH_SIZE)
        await db
          .insertInto('chatstatus_change')
          .values(changes.slice(at, at + WRITE_BATCH_SIZE).map(toRow))
          .onConflict((already) =>
            already.columns(['member', 'at']).doUpdateSet((now) => ({
              status: now.ref('excluded.status'),
              pc: now.ref('excluded.pc'),
              mobile: now.ref('excluded.mobile'),
            })),
          )
          .execute();
    },
    /** In order; some at a time, for a year may have twenty thousand and others want to be answered meanwhile. */
    changesOf: async (member: number): Promise<readonly Change[]> => {
      const all: Change[] = [];
      for (;;) {
        const rows = await db
          .selectFrom('chatstatus_change')
          .selectAll()
          .where('member', '=', member)
          .where('at', '>', all.at(-1)?.at ?? -1)
          .orderBy('at')
          .limit(READ_BATCH_SIZE)
          .execute();
        for (const row of rows) all.push(toChange(row));
        if (rows.length < READ_BATCH_SIZE) return all;
      }
    },
    /** The newest change of each who is recorded. */
    lastChanges: async (): Promise<readonly MemberChange[]> => {
      const newest = db
        .selectFrom('chatstatus_change')
        .innerJoin('chatstatus_member', 'chatstatus_member.id', 'chatstatus_change.member')
        .where('chatstatus_member.recorded', '=', 1)
        .groupBy('chatstatus_change.member')
        .select((is) => ['chatstatus_change.member', is.fn.max('chatstatus_change.at').as('newest')]);
      const rows = await db
        .selectFrom('chatstatus_change')
        .innerJoin(newest.as('last'), (join) =>
          join.onRef('last.member', '=', 'chatstatus_change.member').onRef('last.newest', '=', 'chatstatus_change.at'),
        )
        .selectAll('chatstatus_change')
        .execute();
      return rows.map(toChange);
    },
    /** The newest change of one person that is no later than this moment. */
    changeAt: async (member: number, at: number): Promise<MemberChange | undefined> => {
      const row = await db
        .selectFrom('chatstatus_change')
        .selectAll()
        .where('member', '=', member)
        .where('at', '<=', at)
        .orderBy('at', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row && toChange(row);
    },
    removeUntil: async (member: number, at: number): Promise<void> => {
      await db.deleteFrom('chatstatus_change').where('member', '=', member).where('at', '<=', at).execute();
    },
    beat: async (platform: string, at: number): Promise<void> => {
      await db
        .insertInto('chatstatus_beat')
        .values({ platform, at })
        .onConflict((already) => already.column('platform').doUpdateSet({ at }))
        .execute();
    },
    beats: async (): Promise<ReadonlyMap<string, number>> => {
      const rows = await db.selectFrom('chatstatus_beat').selectAll().execute();
      return new Map(rows.map(({ platform, at }) => [platform, at]));
    },
  };
}

export type StatusStore = ReturnType<typeof statusStore>;
