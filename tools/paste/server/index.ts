import type { ServerTool, ServerContext } from '#platform/server/tool.ts';
import { migrations } from './migrations.ts';
import { calls } from './pasteHandlers.ts';
import { pieceStore } from './pasteStore.ts';

/** The account's pieces, oldest first; encrypted ones as the server has them. */
export function exportOf({ database, now }: ServerContext) {
  const pieces = pieceStore(database);
  async function* listed(account: number): AsyncGenerator<object> {
    for await (const { created, expires, isEncrypted, ...piece } of pieces.ofAccount(account, now()))
      yield { ...piece, isEncrypted, created: String(created), expires: String(expires) };
  }
  return async (account: number): Promise<unknown> => ({ pieces: listed(account) });
}

export const paste: ServerTool = {
  name: 'paste',
  migrations,
  start: (ground) => ({
    calls: calls(ground),
    exportOf: exportOf(ground),
    exportHolds:
      'The texts that you stored on the paste page and that have not expired. Encrypted ones need their key.',
    nightly: () => pieceStore(ground.database).sweep(ground.now()),
  }),
};
