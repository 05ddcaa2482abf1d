import type { ServerContext } from '#platform/server/tool.ts';
import { pieceStore } from './pasteStore.ts';

/** The account's pieces, oldest first; encrypted ones as the server has them. */
export const exportOf = ({ database, now }: ServerContext) => {
  const pieces = pieceStore(database);
  async function* listed(account: number): AsyncGenerator<object> {
    for await (const { created, expires, isEncrypted, ...piece } of pieces.ofAccount(account, now()))
      yield { ...piece, isEncrypted, created: String(created), expires: String(expires) };
  }
  return async (account: number): Promise<unknown> => ({ pieces: listed(account) });
};
