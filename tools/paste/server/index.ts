import type { ServerTool, ServerContext } from '#platform/server/tool.ts';
import { migrations } from './migrations.ts';
import { createPasteHandlers } from './pasteHandlers.ts';
import { createPasteImport } from './pasteImport.ts';
import { createPasteStore } from './pasteStore.ts';

/** Creates a function that exports an account's pastes, oldest first. Encrypted pastes are exported as ciphertext. */
export function createExport({ database, now }: ServerContext) {
  const store = createPasteStore(database);
  async function* listPastes(account: number): AsyncGenerator<object> {
    for await (const { created, expires, isEncrypted, keyProof, ...rest } of store.iterateByAccount(account, now()))
      yield { ...rest, isEncrypted, keyProof, created: String(created), expires: String(expires) };
  }
  return async (account: number): Promise<unknown> => ({ pieces: listPastes(account) });
}

export const paste: ServerTool = {
  name: 'paste',
  services: ['database', 'rateLimiter', 'disk'],
  migrations,
  secretFields: ['inputValue', 'clipmessage'],
  start: (context) => ({
    calls: createPasteHandlers(context),
    exportAccount: createExport(context),
    exportDescription: 'Your pastes that have not expired. Encrypted pastes can only be read with their key.',
    importAccount: createPasteImport(context),
    sumStoredBytes: createPasteStore(context.database).sumBytesByAccount,
    nightly: () => createPasteStore(context.database).removeExpired(context.now()),
  }),
};
