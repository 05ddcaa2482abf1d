import type { Transaction } from 'kysely';
import type { Database } from '#platform/server/database/database.ts';
import { withMusicTables } from './tables.ts';

/** The content of a download address. */
export interface Ticket {
  /** 128 random bits in base64url. */
  readonly id: string;
  readonly account: number;
  /** Title of the playlist, if it is one. */
  readonly title: string;
  readonly kind: 'song' | 'zip' | 'm3u';
  /** In order. */
  readonly songs: readonly number[];
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** Maximum number of valid tickets of an account. */
const MAX_TICKETS_PER_ACCOUNT = 100;

/** Creates the database access for download addresses. */
export function createTicketStore({ db }: Database) {
  return {
    /** Inserts a ticket, and removes the oldest ones above the limit. */
    insert: async (tx: Transaction<unknown>, { songs, ...ticket }: Ticket): Promise<void> => {
      await withMusicTables(tx)
        .insertInto('music_ticket')
        .values({ ...ticket, songs: JSON.stringify(songs) })
        .execute();
      const surplus = await withMusicTables(tx)
        .selectFrom('music_ticket')
        .select('id')
        .where('account', '=', ticket.account)
        .orderBy('until', 'desc')
        .offset(MAX_TICKETS_PER_ACCOUNT)
        .limit(MAX_TICKETS_PER_ACCOUNT)
        .execute();
      if (surplus.length === 0) return;
      const ids = surplus.map(({ id }) => id);
      await withMusicTables(tx).deleteFrom('music_ticket').where('id', 'in', ids).execute();
    },
    find: async (id: string): Promise<Ticket | undefined> => {
      const row = await withMusicTables(db)
        .selectFrom('music_ticket')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      // Written by `insert` only.
      return row && { ...row, kind: row.kind as Ticket['kind'], songs: JSON.parse(row.songs) as readonly number[] };
    },
    purge: async (before: number): Promise<void> => {
      await withMusicTables(db).deleteFrom('music_ticket').where('until', '<=', before).execute();
    },
  };
}
