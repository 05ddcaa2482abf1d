import type { ServerTool, ServerContext } from '#platform/server/tool.ts';
import { migrations } from './migrations.ts';
import { calls } from './pasteHandlers.ts';
import { pieceStore } from './pasteStore.ts';

/** Exports the pastes of an account, oldest first. Encrypted pastes are exported as ciphertext. */
export function exportOf({ database, now }: ServerContext) {
  const store = pieceStore(database);
  async function* listPastes(account: number): AsyncGenerator<object> {
    for await (const { created, expires, isEncrypted, ...rest } of store.ofAccount(account, now()))
      yield { ...rest, isEncrypted, created: String(created), expires: String(expires) };
  }
  return async (account: number): Promise<unknown> => ({ pieces: listPastes(account) });
}

export const paste: ServerTool = {
  name: 'paste',
  services: ['database', 'limits', 'disk'],
  migrations,
  secretFields: ['inputValue', 'clipmessage'],
  start: (context) => ({
    calls: calls(context),
    exportOf: exportOf(context),
    exportHolds: 'Your pastes that have not expired. Encrypted pastes can only be read with their key.',
    nightly: () => pieceStore(context.database).sweep(context.now()),
  }),
};
