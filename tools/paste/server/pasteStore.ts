import type { ExpressionBuilder, Generated, Kysely } from 'kysely';
import { toFlag } from '#platform/server/database/columns.ts';
import type { Database } from '#platform/server/database/database.ts';
import { isOfActiveAccount } from '#platform/server/identity/accountStore.ts';

/** Rows per DELETE. Each text can have 1 MiB, so small batches let other writes run in between. */
const DELETE_BATCH_SIZE = 50;
/** Rows per query of an export. Small batches limit memory. */
const EXPORT_BATCH_SIZE = 8;

type Tables = {
  /** `created` and `expires` are milliseconds since the epoch. `text` is a JSON string if `escaped` is 1. */
  paste_piece: {
    id: Generated<number>;
    code: string;
    account: number | null;
    visitor: string | null;
    bytes: number;
    encrypted: number;
    burns: number;
    key_proof: string | null;
    created: number;
    expires: number;
    escaped: number;
    text: string;
  };
};

/** The owner of a paste: an account, or a visitor's browser by the hash of its cookie. A caller can be both. */
export interface PasteOwner {
  readonly account: number | undefined;
  readonly visitor: string | undefined;
}

/** A paste without its text. It is stored until `expires`. */
export interface PasteSummary {
  readonly code: string;
  /** Size of the text in UTF-8, or of the ciphertext if the paste is encrypted. */
  readonly bytes: number;
  readonly isEncrypted: boolean;
  readonly burns: boolean;
  readonly created: Temporal.Instant;
  readonly expires: Temporal.Instant;
}

export interface Paste extends PasteSummary {
  readonly text: string;
}

/** A paste with all that is stored of it. */
export interface WholePaste extends Paste {
  /** What a caller must send to read a paste that is encrypted and burns. */
  readonly keyProof?: string | undefined;
}

/** PostgreSQL can't store NUL characters, and neither database stores lone surrogates. JSON escapes both. */
const needsEscaping = (text: string): boolean => text.includes('\0') || !text.isWellFormed();

const SUMMARY_COLUMNS = ['code', 'bytes', 'encrypted', 'burns', 'created', 'expires'] as const;
const PASTE_COLUMNS = [...SUMMARY_COLUMNS, 'escaped', 'text'] as const;
type SummaryRow = Pick<Tables['paste_piece'], (typeof SUMMARY_COLUMNS)[number]>;
type PasteRow = Pick<Tables['paste_piece'], (typeof PASTE_COLUMNS)[number]>;

const toSummary = ({ code, bytes, encrypted, burns, created, expires }: SummaryRow): PasteSummary => ({
  code,
  bytes,
  isEncrypted: encrypted === 1,
  burns: burns === 1,
  created: Temporal.Instant.fromEpochMilliseconds(created),
  expires: Temporal.Instant.fromEpochMilliseconds(expires),
});

const toPaste = ({ text, escaped, ...summary }: PasteRow): Paste => ({
  ...toSummary(summary),
  text: escaped === 1 ? String(JSON.parse(text)) : text,
});

/**
 * Creates the database access for pastes. Pastes that have expired by `now`, or whose account is suspended, are treated
 * as if they did not exist.
 */
export function createPasteStore({ db: untypedDb }: Database) {
  const db = untypedDb.$extendTables<Tables>();
  /** Returns a condition that selects the pastes of an owner. It selects nothing if the owner is unknown. */
  const isOwnedBy =
    ({ account, visitor }: PasteOwner) =>
    (eb: ExpressionBuilder<Tables, 'paste_piece'>) =>
      eb.or([
        ...(account === undefined ? [] : [eb('account', '=', account)]),
        ...(visitor === undefined ? [] : [eb('visitor', '=', visitor)]),
      ]);
  const selectUnexpired = (now: Temporal.Instant) =>
    db.selectFrom('paste_piece').where('expires', '>', now.epochMilliseconds);
  const isVisible = isOfActiveAccount('paste_piece.account');

  return {
    /** Stores a paste. Returns false if its code is taken. */
    insert: async (
      { text, isEncrypted, burns, keyProof, created, expires, ...columns }: WholePaste,
      owner: PasteOwner,
      source: Kysely<unknown> = untypedDb,
    ): Promise<boolean> => {
      const escaped = needsEscaping(text);
      const row = await source
        .$extendTables<Tables>()
        .insertInto('paste_piece')
        .values({
          ...columns,
          account: owner.account ?? null,
          // A paste of an account must not be visible to the next person who uses the same browser.
          visitor: owner.account === undefined ? (owner.visitor ?? null) : null,
          encrypted: toFlag(isEncrypted),
          burns: toFlag(burns),
          key_proof: keyProof ?? null,
          created: created.epochMilliseconds,
          expires: expires.epochMilliseconds,
          escaped: toFlag(escaped),
          text: escaped ? JSON.stringify(text) : text,
        })
        .onConflict((conflict) => conflict.column('code').doNothing())
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },
    findSummary: async (code: string, now: Temporal.Instant): Promise<PasteSummary | undefined> => {
      const row = await selectUnexpired(now)
        .select(SUMMARY_COLUMNS)
        .where('code', '=', code)
        .where(isVisible)
        .executeTakeFirst();
      return row && toSummary(row);
    },
    /** A query of its own, because SQLite has to read past the text to get this column. */
    findKeyProof: async (code: string): Promise<string | undefined> => {
      const row = await db.selectFrom('paste_piece').select('key_proof').where('code', '=', code).executeTakeFirst();
      return row?.key_proof ?? undefined;
    },
    /** Returns a paste, unless it burns: see `consume`. */
    read: async (code: string, now: Temporal.Instant): Promise<Paste | undefined> => {
      const row = await selectUnexpired(now)
        .select(PASTE_COLUMNS)
        .where('code', '=', code)
        .where('burns', '=', 0)
        .where(isVisible)
        .executeTakeFirst();
      return row && toPaste(row);
    },
    /** Returns a paste that burns and deletes it, in one statement: only one of several concurrent readers gets it. */
    consume: async (code: string, now: Temporal.Instant): Promise<Paste | undefined> => {
      const row = await db
        .deleteFrom('paste_piece')
        .where('code', '=', code)
        .where('burns', '=', 1)
        .where('expires', '>', now.epochMilliseconds)
        .where(isVisible)
        .returning(PASTE_COLUMNS)
        .executeTakeFirst();
      return row && toPaste(row);
    },
    /** Returns the newest paste of an owner that is neither encrypted nor burns. */
    findNewest: async (owner: PasteOwner, now: Temporal.Instant): Promise<Paste | undefined> => {
      const row = await selectUnexpired(now)
        .select(PASTE_COLUMNS)
        .where(isOwnedBy(owner))
        .where('encrypted', '=', 0)
        .where('burns', '=', 0)
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row && toPaste(row);
    },
    /** Lists the pastes of an owner, newest first. */
    list: async (owner: PasteOwner, now: Temporal.Instant, limit: number): Promise<readonly PasteSummary[]> => {
      const rows = await selectUnexpired(now)
        .select(SUMMARY_COLUMNS)
        .where(isOwnedBy(owner))
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(toSummary);
    },
    /** Deletes a paste. Returns false if the owner has no paste with this code. */
    remove: async (owner: PasteOwner, code: string, now: Temporal.Instant): Promise<boolean> => {
      const rows = await db
        .deleteFrom('paste_piece')
        .where('code', '=', code)
        .where('expires', '>', now.epochMilliseconds)
        .where(isOwnedBy(owner))
        .returning('id')
        .execute();
      return rows.length > 0;
    },
    /** Sums up the bytes of all texts of accounts. */
    sumBytesByAccount: async (): Promise<ReadonlyMap<number, number>> => {
      const rows = await db
        .selectFrom('paste_piece')
        .select(({ fn }) => ['account', fn.sum<number | string>('bytes').as('bytes')])
        .where('account', 'is not', null)
        .groupBy('account')
        .execute();
      return new Map(rows.map(({ account, bytes }) => [account ?? 0, Number(bytes)]));
    },
    /** Deletes the pastes that have expired by `now`. */
    removeExpired: async (now: Temporal.Instant): Promise<void> => {
      const expiredIds = db
        .selectFrom('paste_piece')
        .select('id')
        .where('expires', '<=', now.epochMilliseconds)
        .orderBy('expires')
        .limit(DELETE_BATCH_SIZE);
      for (;;) {
        const deleted = await db.deleteFrom('paste_piece').where('id', 'in', expiredIds).returning('id').execute();
        if (deleted.length < DELETE_BATCH_SIZE) return;
      }
    },
    /** Yields the pastes of an account, oldest first, without loading all texts into memory. */
    iterateByAccount: async function* (account: number, now: Temporal.Instant): AsyncGenerator<WholePaste> {
      for (let lastId = 0; ;) {
        const rows = await selectUnexpired(now)
          .select(['id', 'key_proof', ...PASTE_COLUMNS])
          .where('account', '=', account)
          .where('id', '>', lastId)
          .orderBy('id')
          .limit(EXPORT_BATCH_SIZE)
          .execute();
        for (const { id, key_proof: keyProof, ...row } of rows) {
          lastId = id;
          yield { ...toPaste(row), keyProof: keyProof ?? undefined };
        }
        if (rows.length < EXPORT_BATCH_SIZE) return;
      }
    },
  };
}
