import * as z from 'zod/mini';
import { Refusal } from '#platform/contract/refusal.ts';
import { retentionPeriod } from '#platform/contract/retention.ts';
import { exportedTime, iterateParsed, readParsed } from '#platform/server/storage/importSource.ts';
import type { Retention } from '#platform/server/storage/retention.ts';
import type { AccountImport, ServerContext } from '#platform/server/tool.ts';
import { normalizeScriptName, validateScriptText } from '../domain/outgoingMessage.ts';
import { createHistoryStore } from './historyStore.ts';
import { createScriptStore, MAX_SCRIPTS_PER_ACCOUNT } from './scriptStore.ts';

/** Longer ones can't be uploaded either. */
const MAX_SCRIPT_LENGTH = 1024 * 1024;

const script = z.object({
  name: z.string(),
  text: z.string().check(z.maxLength(MAX_SCRIPT_LENGTH)),
  /** Missing in exports of earlier versions. */
  changed: z.optional(exportedTime),
});

/** Creates the import of scripts. What was sent to computers belongs to them, and they must be paired again. */
export function createRemoteImport(
  { database, now }: Pick<ServerContext, 'database' | 'now'>,
  retention: Pick<Retention, 'get' | 'set'>,
): AccountImport {
  const scripts = createScriptStore(database);
  const history = createHistoryStore(database);
  return {
    // The imported retention must not delete what the account has already.
    isEmpty: async (account) =>
      (await scripts.list(account)).length === 0 && (await history.listByAccount(account)).length === 0,
    run: async (account, source) => {
      const scriptCount = await database.transaction(async ({ tx }) => {
        const names = new Set<string>();
        for await (const { name: exportedName, text, changed } of iterateParsed(source, 'scripts', script)) {
          const name = normalizeScriptName(exportedName);
          validateScriptText(text);
          names.add(name);
          if (names.size > MAX_SCRIPTS_PER_ACCOUNT)
            throw new Refusal(
              'remote.too_many_scripts',
              `An account can have at most ${MAX_SCRIPTS_PER_ACCOUNT} scripts`,
            );
          const time = changed === undefined ? now() : Temporal.Instant.fromEpochMilliseconds(changed);
          await scripts.insert(tx, account, { name, text, changed: time });
        }
        return names.size;
      });
      const period = await readParsed(source, 'retention', retentionPeriod);
      if (period !== undefined) await retention.set(account, period);
      let messageCount = 0;
      for await (const _message of source.iterate('messages')) messageCount += 1;
      return {
        counts: { scripts: scriptCount },
        problems:
          messageCount === 0
            ? []
            : [`Not imported: what you sent to your computers (${messageCount}). It belongs to their pairing`],
      };
    },
  };
}
