import type { Generated, Kysely, Selectable } from 'kysely';
import { toFlag } from '#platform/server/database/columns.ts';
import type { Status, Change } from '../domain/status.ts';

/** Rows per insert. Each has five values, and SQLite accepts about 32,000 parameters. */
const WRITE_BATCH_SIZE = 1000;

/** Rows per query. */
const READ_BATCH_SIZE = 2000;

type ChangeRow = { member: number; at: number; status: string; pc: string; mobile: string };

type ChatStatusTables = {
  /** A person who is or was recorded. `code` is the hash of the code that gives access to their days. */
  chatstatus_member: {
    id: Generated<number>;
    platform: string;
    person: string;
    code: string;
    recorded: number;
  };
  /** Presence of a member from `at` (seconds since the epoch) until their next row. */
  chatstatus_change: ChangeRow;
  /** Last time at which presence on a platform was known, in seconds since the epoch. */
  chatstatus_beat: { platform: string; at: number };
};

/** A person who is or was recorded. */
export interface Member {
  readonly id: number;
  readonly platform: string;
  /** User id of the platform. */
  readonly person: string;
  /** False after they stopped the recording. */
  readonly isRecorded: boolean;
}

/** A change of presence of one member. */
export interface MemberChange extends Change {
  readonly member: number;
}

const memberColumns = ['id', 'platform', 'person', 'recorded'] as const;

type MemberRow = Pick<Selectable<ChatStatusTables['chatstatus_member']>, (typeof memberColumns)[number]>;

const toMember = ({ recorded, ...member }: MemberRow): Member => ({ ...member, isRecorded: recorded === 1 });

/** Only this store writes statuses, so the stored values are valid. */
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

/** Creates the store on the database or within a transaction. */
export function createStatusStore(untypedDb: Kysely<unknown>) {
  const db = untypedDb.$extendTables<ChatStatusTables>();
  const selectMembers = () => db.selectFrom('chatstatus_member').select(memberColumns);
  return {
    /** Lists the recorded members of all platforms. */
    listRecorded: async (): Promise<readonly Member[]> =>
      (await selectMembers().where('recorded', '=', 1).execute()).map(toMember),
    listAll: async (): Promise<readonly Member[]> => (await selectMembers().execute()).map(toMember),
    findMember: async (platform: string, person: string): Promise<Member | undefined> => {
      const row = await selectMembers()
        .where('platform', '=', platform)
        .where('person', '=', person)
        .executeTakeFirst();
      return row && toMember(row);
    },
    findByCode: async (codeHash: string): Promise<Member | undefined> => {
      const row = await selectMembers().where('code', '=', codeHash).executeTakeFirst();
      return row && toMember(row);
    },
    /** Inserts a recorded member and returns their id. */
    insert: async (platform: string, person: string, codeHash: string): Promise<number> => {
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
        .set({ recorded: toFlag(isRecorded) })
        .where('id', '=', member)
        .execute();
    },
    setCode: async (member: number, codeHash: string): Promise<void> => {
      await db.updateTable('chatstatus_member').set({ code: codeHash }).where('id', '=', member).execute();
    },
    /** Removes a member and their history. */
    remove: async (member: number): Promise<void> => {
      await db.deleteFrom('chatstatus_member').where('id', '=', member).execute();
    },
    /**
     * Removes a member who has no history and is not recorded. One statement, because they may start again meanwhile.
     */
    removeIfForgotten: async (member: number): Promise<void> => {
      await db
        .deleteFrom('chatstatus_member')
        .where('id', '=', member)
        .where('recorded', '=', 0)
        .where((builder) =>
          builder.not(
            builder.exists(builder.selectFrom('chatstatus_change').select('member').where('member', '=', member)),
          ),
        )
        .execute();
    },
    /** Stores changes. A later change replaces an earlier one of the same second. */
    saveChanges: async (changes: readonly MemberChange[]): Promise<void> => {
      for (let at = 0; at < changes.length; at += WRITE_BATCH_SIZE)
        await db
          .insertInto('chatstatus_change')
          .values(changes.slice(at, at + WRITE_BATCH_SIZE).map(toRow))
          .onConflict((conflict) =>
            conflict.columns(['member', 'at']).doUpdateSet((builder) => ({
              status: builder.ref('excluded.status'),
              pc: builder.ref('excluded.pc'),
              mobile: builder.ref('excluded.mobile'),
            })),
          )
          .execute();
    },
    /** Lists changes in order. Reads in batches, so that a year of 20,000 rows doesn't block other requests. */
    listChanges: async (member: number): Promise<readonly Change[]> => {
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
    /** Lists the newest change of each recorded member. */
    listLastChanges: async (): Promise<readonly MemberChange[]> => {
      const newest = db
        .selectFrom('chatstatus_change')
        .innerJoin('chatstatus_member', 'chatstatus_member.id', 'chatstatus_change.member')
        .where('chatstatus_member.recorded', '=', 1)
        .groupBy('chatstatus_change.member')
        .select(({ fn }) => ['chatstatus_change.member', fn.max('chatstatus_change.at').as('newest')]);
      const rows = await db
        .selectFrom('chatstatus_change')
        .innerJoin(newest.as('last'), (join) =>
          join.onRef('last.member', '=', 'chatstatus_change.member').onRef('last.newest', '=', 'chatstatus_change.at'),
        )
        .selectAll('chatstatus_change')
        .execute();
      return rows.map(toChange);
    },
    /** Returns the newest change of a member that is not later than `at`. */
    findChangeAt: async (member: number, at: number): Promise<MemberChange | undefined> => {
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
    saveHeartbeat: async (platform: string, at: number): Promise<void> => {
      await db
        .insertInto('chatstatus_beat')
        .values({ platform, at })
        .onConflict((conflict) => conflict.column('platform').doUpdateSet({ at }))
        .execute();
    },
    readHeartbeats: async (): Promise<ReadonlyMap<string, number>> => {
      const rows = await db.selectFrom('chatstatus_beat').selectAll().execute();
      return new Map(rows.map(({ platform, at }) => [platform, at]));
    },
  };
}

export type StatusStore = ReturnType<typeof createStatusStore>;
