import type { AppPasswordInfo } from '#platform/server/identity/identity.ts';
import type { ServerContext } from '#platform/server/tool.ts';

/** An app password as the wire has it; times are ISO 8601. */
export const shownOf = ({ id, name, kind, created, lastUsed, address }: AppPasswordInfo) => ({
  id,
  name,
  kind,
  created: String(created),
  ...(lastUsed === undefined ? {} : { lastUsed: String(lastUsed) }),
  address,
});

/** Of an account, newest first. */
export const appPasswordsOf =
  ({ identity }: Pick<ServerContext, 'identity'>) =>
  async (account: number) =>
    (await identity.appPasswords.list(account)).map(shownOf);
