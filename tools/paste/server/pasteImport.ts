import { randomInt } from 'node:crypto';
import type { Transaction } from 'kysely';
import * as z from 'zod/mini';
import { Refusal } from '#platform/contract/refusal.ts';
import { exportedTime, iterateParsed } from '#platform/server/storage/importSource.ts';
import type { AccountImport, ServerContext } from '#platform/server/tool.ts';
import {
  generateCode,
  getUtf8Size,
  parseCode,
  RETENTION_MS,
  validateCiphertext,
  validateText,
} from '../domain/paste.ts';
import { createPasteStore, type WholePaste } from './pasteStore.ts';

/** About as many as an account can store within 30 days. */
const MAX_PASTES = 20_000;
const MAX_LISTED_CODES = 50;

const piece = z.object({
  code: z.string(),
  text: z.string(),
  isEncrypted: z.boolean(),
  burns: z.boolean(),
  /** Missing in exports of earlier versions. */
  keyProof: z.optional(z.string().check(z.maxLength(64))),
  created: exportedTime,
  expires: exportedTime,
});

/** Converts an exported paste. It is stored no longer than a new one. @throws Refusal for an invalid text */
function toPaste({ text, isEncrypted, created, expires, ...paste }: z.output<typeof piece>, now: number): WholePaste {
  if (isEncrypted) validateCiphertext(text);
  else validateText(text);
  return {
    ...paste,
    text,
    isEncrypted,
    keyProof: paste.keyProof,
    bytes: getUtf8Size(text),
    created: Temporal.Instant.fromEpochMilliseconds(Math.min(created, now)),
    expires: Temporal.Instant.fromEpochMilliseconds(Math.min(expires, now + RETENTION_MS['30d'])),
  };
}

/** Creates the import of pastes. A paste keeps its code unless another paste of the server has it. */
export function createPasteImport({ database, now }: Pick<ServerContext, 'database' | 'now'>): AccountImport {
  const store = createPasteStore(database);

  /** Inserts a paste under its code, or under a new one if that is taken or invalid. Returns the code. */
  async function insertPaste(tx: Transaction<unknown>, account: number, paste: WholePaste): Promise<string> {
    const owner = { account, visitor: undefined };
    for (let code = parseCode(paste.code) ?? generateCode(randomInt); ; code = generateCode(randomInt))
      if (await store.insert({ ...paste, code }, owner, tx)) return code;
  }

  return {
    isEmpty: async (account) => (await store.list({ account, visitor: undefined }, now(), 1)).length === 0,
    run: async (account, source) =>
      database.transaction(async ({ tx }) => {
        const time = now().epochMilliseconds;
        const codes: string[] = [];
        const newCodes: string[] = [];
        let expiredCount = 0;
        let unprovenCount = 0;
        for await (const exported of iterateParsed(source, 'pieces', piece)) {
          const paste = toPaste(exported, time);
          if (exported.expires <= time) expiredCount += 1;
          // Without its proof, a wrong key would burn it.
          else if (paste.isEncrypted && paste.burns && paste.keyProof === undefined) unprovenCount += 1;
          else {
            const code = await insertPaste(tx, account, paste);
            codes.push(code);
            if (codes.length > MAX_PASTES)
              throw new Refusal('paste.too_many', `At most ${MAX_PASTES} pastes can be imported`);
            if (code !== exported.code) newCodes.push(code);
          }
        }
        const notes: readonly (readonly [number, string])[] = [
          [expiredCount, `Not imported: pastes that have expired (${expiredCount})`],
          [
            newCodes.length,
            `Pastes got a new code, because this server has another paste with theirs: ${newCodes.slice(0, MAX_LISTED_CODES).join(', ')}`,
          ],
          [
            unprovenCount,
            `Not imported: encrypted pastes that burn after reading (${unprovenCount}). Update the other Pegboard, and export again`,
          ],
        ];
        return {
          counts: { pastes: codes.length },
          problems: notes.flatMap(([count, text]) => (count === 0 ? [] : text)),
        };
      }),
  };
}
