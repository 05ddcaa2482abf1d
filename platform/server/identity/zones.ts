import { Refusal } from '#platform/contract/refusal.ts';
import type { Database } from '../database/database.ts';
import type { IdentityTables } from './identityTables.ts';
import { canonicalizeZone } from './zoneName.ts';

const ZONE_CACHE_SIZE = 10_000;

/** Home zones of accounts: what 'today' is for them. */
export const createZoneStore = ({ db: ground }: Database) => {
  const db = ground.$extendTables<IdentityTables>();
  const known = new Map<number, string>();
  const keep = (account: number, zone: string): void => {
    if (known.size >= ZONE_CACHE_SIZE) known.clear();
    known.set(account, zone);
  };
  return {
    /** The zone that a page names, remembered as the account's home; without one the home zone, else this machine's. @throws Refusal for a name that is no zone's. */
    zone: async (account: number, named?: string): Promise<string> => {
      if (named !== undefined && named !== '') {
        const zone = canonicalizeZone(named);
        if (zone === undefined) throw new Refusal('There is no such time zone');
        if (known.get(account) !== zone) {
          await db.updateTable('account').set({ zone }).where('id', '=', account).execute();
          keep(account, zone);
        }
        return zone;
      }
      const remembered = known.get(account);
      if (remembered !== undefined) return remembered;
      const row = await db.selectFrom('account').select('zone').where('id', '=', account).executeTakeFirst();
      if (row?.zone != null) keep(account, row.zone);
      return row?.zone ?? Temporal.Now.timeZoneId();
    },
  };
};
