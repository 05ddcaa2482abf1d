import type { Generated, Transaction } from 'kysely';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Database } from '#platform/server/database/database.ts';

/** docs/design/reliability.md section 11.3. */
export const MAX_SCRIPTS_PER_ACCOUNT = 2000;

type RemoteScriptTables = {
  /** `bytes` is the size of the text in UTF-8; `changed` is in milliseconds since the epoch. */
  remote_script: {
    id: Generated<number>;
    account: number;
    name: string;
    text: string;
    bytes: number;
    changed: number;
  };
};

export interface Script {
  readonly name: string;
  readonly bytes: number;
  readonly changed: Temporal.Instant;
}

export interface ScriptText extends Pick<Script, 'name' | 'changed'> {
  readonly text: string;
}

const nameCollator = new Intl.Collator('en', { numeric: true });

export function createScriptStore({ db: untypedDb, transaction }: Database) {
  const db = untypedDb.$extendTables<RemoteScriptTables>();
  return {
    /**
     * Stores a script and replaces one of the same name.
     * @throws Refusal if the account has the maximum number of scripts.
     */
    save: (account: number, name: string, text: string, now: Temporal.Instant): Promise<void> =>
      transaction(async ({ tx: untypedTx }) => {
        const tx = untypedTx.$extendTables<RemoteScriptTables>();
        const content = { text, bytes: new TextEncoder().encode(text).length, changed: now.epochMilliseconds };
        const { numUpdatedRows } = await tx
          .updateTable('remote_script')
          .set(content)
          .where('account', '=', account)
          .where('name', '=', name)
          .executeTakeFirst();
        if (numUpdatedRows > 0n) return;
        const { count } = await tx
          .selectFrom('remote_script')
          .select(({ fn }) => fn.countAll().as('count'))
          .where('account', '=', account)
          .executeTakeFirstOrThrow();
        if (Number(count) >= MAX_SCRIPTS_PER_ACCOUNT)
          throw new Refusal(
            'remote.too_many_scripts',
            `You have the maximum of ${MAX_SCRIPTS_PER_ACCOUNT.toLocaleString('en')} scripts. Delete one first`,
          );
        await tx
          .insertInto('remote_script')
          .values({ account, name, ...content })
          .onConflict((conflict) => conflict.columns(['account', 'name']).doUpdateSet(content))
          .execute();
      }),
    /** Lists the scripts, sorted by name. */
    list: async (account: number): Promise<readonly Script[]> => {
      const rows = await db
        .selectFrom('remote_script')
        .select(['name', 'bytes', 'changed'])
        .where('account', '=', account)
        .execute();
      return rows
        .toSorted((one, other) => nameCollator.compare(one.name, other.name))
        .map(({ changed, ...row }) => ({ ...row, changed: Temporal.Instant.fromEpochMilliseconds(changed) }));
    },
    /**
     * Returns the text of a script.
     * @throws Refusal if the account has no script of that name.
     */
    getText: async (account: number, name: string): Promise<string> => {
      const row = await db
        .selectFrom('remote_script')
        .select('text')
        .where('account', '=', account)
        .where('name', '=', name)
        .executeTakeFirst();
      if (!row) throw createNotFoundRefusal(name);
      return row.text;
    },
    /**
     * Deletes a script.
     * @throws Refusal if the account has no script of that name.
     */
    remove: async (account: number, name: string): Promise<void> => {
      const { numDeletedRows } = await db
        .deleteFrom('remote_script')
        .where('account', '=', account)
        .where('name', '=', name)
        .executeTakeFirst();
      if (numDeletedRows === 0n) throw createNotFoundRefusal(name);
    },
    /** Lists scripts with their texts, in the order of their creation. */
    listTexts: async (account: number): Promise<readonly ScriptText[]> => {
      const rows = await db
        .selectFrom('remote_script')
        .select(['name', 'text', 'changed'])
        .where('account', '=', account)
        .orderBy('id')
        .execute();
      return rows.map(({ changed, ...row }) => ({ ...row, changed: Temporal.Instant.fromEpochMilliseconds(changed) }));
    },
    /** Inserts a script with a new name. */
    insert: async (tx: Transaction<unknown>, account: number, { name, text, changed }: ScriptText): Promise<void> => {
      await tx
        .$extendTables<RemoteScriptTables>()
        .insertInto('remote_script')
        .values({
          account,
          name,
          text,
          bytes: new TextEncoder().encode(text).length,
          changed: changed.epochMilliseconds,
        })
        .execute();
    },
  };
}

const createNotFoundRefusal = (name: string): Refusal =>
  new Refusal('remote.script_not_found', `There is no script called '${name}'`);
