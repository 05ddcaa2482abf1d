import type { Day } from '#platform/contract/day.ts';
import { toFlag } from '#platform/server/database/columns.ts';
import type { Database } from '#platform/server/database/database.ts';

export interface ReminderSetting {
  readonly isOn: boolean;
  /** `HH:MM` in the account's home zone. */
  readonly at: string;
  /** The last day whose reminder was sent to browsers. */
  readonly sentDay: Day | undefined;
}

type ReminderTables = {
  calendar_reminder: { account: number; is_on: number; at: string; sent_day: number | null };
};

/** The setting of accounts that have not changed it. */
export const DEFAULT_SETTING: ReminderSetting = { isOn: true, at: '08:00', sentDay: undefined };

export function createReminderStore({ db: untypedDb }: Database) {
  const db = untypedDb.$extendTables<ReminderTables>();
  return {
    get: async (account: number): Promise<ReminderSetting> => {
      const row = await db
        .selectFrom('calendar_reminder')
        .selectAll()
        .where('account', '=', account)
        .executeTakeFirst();
      return row ? { isOn: row.is_on === 1, at: row.at, sentDay: row.sent_day ?? undefined } : DEFAULT_SETTING;
    },
    set: async (account: number, { isOn, at }: Pick<ReminderSetting, 'isOn' | 'at'>): Promise<void> => {
      const values = { is_on: toFlag(isOn), at };
      await db
        .insertInto('calendar_reminder')
        .values({ account, ...values, sent_day: null })
        .onConflict((conflict) => conflict.column('account').doUpdateSet(values))
        .execute();
    },
    /** Claims the reminder of a day. Returns false if it is already claimed. */
    claim: async (account: number, day: Day): Promise<boolean> => {
      const taken = await db
        .insertInto('calendar_reminder')
        .values({ account, is_on: 1, at: DEFAULT_SETTING.at, sent_day: day })
        .onConflict((conflict) =>
          conflict
            .column('account')
            .doUpdateSet({ sent_day: day })
            .where((eb) =>
              eb.or([eb('calendar_reminder.sent_day', 'is', null), eb('calendar_reminder.sent_day', '!=', day)]),
            ),
        )
        .returning('account')
        .executeTakeFirst();
      return taken !== undefined;
    },
    /** Releases a claim after the reminder reached no browser. */
    release: async (account: number, day: Day): Promise<void> => {
      await db
        .updateTable('calendar_reminder')
        .set({ sent_day: null })
        .where('account', '=', account)
        .where('sent_day', '=', day)
        .execute();
    },
  };
}
