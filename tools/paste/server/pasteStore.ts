import type { ExpressionBuilder, Generated } from 'kysely';
import type { Database } from '#platform/server/database/database.ts';

/** Rows that are deleted in one go: a text may have 1 MiB, and others want to write too. */
const AT_ONCE = 50;
/** Rows that are read in one go for an export. */
const READ_AT_ONCE = 8;

type Tables = {
  /** `created` and `expires` in milliseconds since the epoch; `text` as JSON where `escaped` is 1. */
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

/** Who stored a piece: an account, or a visitor's browser by the hash of its cookie. Who asks may be both. */
export interface Owner {
  readonly account: number | undefined;
  readonly visitor: string | undefined;
}

/** A stored piece without its text. It is kept until `expires`. */
export interface PieceInfo {
  readonly code: string;
  /** Of the text as UTF-8. */
  readonly bytes: number;
  readonly isEncrypted: boolean;
  readonly burns: boolean;
  readonly created: Temporal.Instant;
  readonly expires: Temporal.Instant;
}

export interface Piece extends PieceInfo {
  readonly text: string;
}

interface NewPiece extends Piece {
  /** What a request for a text that is encrypted and burns has to show. */
  readonly keyProof?: string | undefined;
}

/** PostgreSQL keeps no null character, and no database half a surrogate pair: such a text is kept as JSON, which escapes both. */
const isOdd = (text: string): boolean => text.includes('\0') || !text.isWellFormed();

const infoColumns = ['code', 'bytes', 'encrypted', 'burns', 'created', 'expires'] as const;
const columns = [...infoColumns, 'escaped', 'text'] as const;
type InfoRow = Pick<Tables['paste_piece'], (typeof infoColumns)[number]>;
type Row = Pick<Tables['paste_piece'], (typeof columns)[number]>;

const toInfo = ({ code, bytes, encrypted, burns, created, expires }: InfoRow): PieceInfo => ({
  code,
  bytes,
  isEncrypted: encrypted === 1,
  burns: burns === 1,
  created: Temporal.Instant.fromEpochMilliseconds(created),
  expires: Temporal.Instant.fromEpochMilliseconds(expires),
});

const toPiece = ({ text, escaped, ...info }: Row): Piece => ({
  ...toInfo(info),
  text: escaped === 1 ? String(JSON.parse(text)) : text,
});

export function pieceStore({ db: ground }: Database) {
  const db = ground.$extendTables<Tables>();
  const isOf =
    ({ account, visitor }: Owner) =>
    (is: ExpressionBuilder<Tables, 'paste_piece'>) =>
      is.or([
        ...(account === undefined ? [] : [is('account', '=', account)]),
        ...(visitor === undefined ? [] : [is('visitor', '=', visitor)]),
      ]);
  const alive = (now: Temporal.Instant) => db.selectFrom('paste_piece').where('expires', '>', now.epochMilliseconds);

  return {
    /** False where the code is another piece's. */
    keep: async (
      { text, isEncrypted, burns, keyProof, created, expires, ...piece }: NewPiece,
      owner: Owner,
    ): Promise<boolean> => {
      const escaped = isOdd(text);
      const row = await db
        .insertInto('paste_piece')
        .values({
          ...piece,
          account: owner.account ?? null,
          // What an account stored is the account's alone: the next person at this browser does not see it.
          visitor: owner.account === undefined ? (owner.visitor ?? null) : null,
          encrypted: isEncrypted ? 1 : 0,
          burns: burns ? 1 : 0,
          key_proof: keyProof ?? null,
          created: created.epochMilliseconds,
          expires: expires.epochMilliseconds,
          escaped: escaped ? 1 : 0,
          text: escaped ? JSON.stringify(text) : text,
        })
        .onConflict((already) => already.column('code').doNothing())
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },
    about: async (code: string, now: Temporal.Instant): Promise<PieceInfo | undefined> => {
      const row = await alive(now).select(infoColumns).where('code', '=', code).executeTakeFirst();
      return row && toInfo(row);
    },
    /** Read by itself: its column is behind the text, which SQLite would have to pass each time. */
    keyProof: async (code: string): Promise<string | undefined> => {
      const row = await db.selectFrom('paste_piece').select('key_proof').where('code', '=', code).executeTakeFirst();
      return row?.key_proof ?? undefined;
    },
    /** A piece that stays. */
    read: async (code: string, now: Temporal.Instant): Promise<Piece | undefined> => {
      const row = await alive(now).select(columns).where('code', '=', code).where('burns', '=', 0).executeTakeFirst();
      return row && toPiece(row);
    },
    /** A piece that burns: reading and deleting are one statement, so of two who ask at once one gets it. */
    burn: async (code: string, now: Temporal.Instant): Promise<Piece | undefined> => {
      const row = await db
        .deleteFrom('paste_piece')
        .where('code', '=', code)
        .where('burns', '=', 1)
        .where('expires', '>', now.epochMilliseconds)
        .returning(columns)
        .executeTakeFirst();
      return row && toPiece(row);
    },
    /** The newest that can be read by whoever asks, again and again. */
    newestOf: async (owner: Owner, now: Temporal.Instant): Promise<Piece | undefined> => {
      const row = await alive(now)
        .select(columns)
        .where(isOf(owner))
        .where('encrypted', '=', 0)
        .where('burns', '=', 0)
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row && toPiece(row);
    },
    /** Newest first. */
    listOf: async (owner: Owner, now: Temporal.Instant, limit: number): Promise<readonly PieceInfo[]> => {
      const rows = await alive(now).select(infoColumns).where(isOf(owner)).orderBy('id', 'desc').limit(limit).execute();
      return rows.map(toInfo);
    },
    /** False where the owner has no such piece. */
    remove: async (owner: Owner, code: string, now: Temporal.Instant): Promise<boolean> => {
      const rows = await db
        .deleteFrom('paste_piece')
        .where('code', '=', code)
        .where('expires', '>', now.epochMilliseconds)
        .where(isOf(owner))
        .returning('id')
        .execute();
      return rows.length > 0;
    },
    /** Removes what has expired. */
    sweep: async (now: Temporal.Instant): Promise<void> => {
      const old = db
        .selectFrom('paste_piece')
        .select('id')
        .where('expires', '<=', now.epochMilliseconds)
        .orderBy('expires')
        .limit(AT_ONCE);
      for (;;) {
        const gone = await db.deleteFrom('paste_piece').where('id', 'in', old).returning('id').execute();
        if (gone.length < AT_ONCE) return;
      }
    },
    /** Oldest first, some at a time. */
    ofAccount: async function* (account: number, now: Temporal.Instant): AsyncGenerator<Piece> {
      for (let after = 0; ;) {
        const rows = await alive(now)
          .select(['id', ...columns])
          .where('account', '=', account)
          .where('id', '>', after)
          .orderBy('id')
          .limit(READ_AT_ONCE)
          .execute();
        for (const { id, ...row } of rows) {
          after = id;
          yield toPiece(row);
        }
        if (rows.length < READ_AT_ONCE) return;
      }
    },
  };
}
