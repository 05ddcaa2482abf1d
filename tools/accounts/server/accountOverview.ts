import { InvalidTokenRefusal } from '#platform/contract/refusal.ts';
import type { ServerContext } from '#platform/server/tool.ts';

/** What an account is, with its devices and the sessions of persons, the one used last first. Times are ISO 8601. */
export const overviewOf =
  ({ identity, devices }: Pick<ServerContext, 'identity' | 'devices'>) =>
  async (account: number) => {
    const found = await identity.findAccount(account);
    if (found === undefined) throw new InvalidTokenRefusal();
    const sessions = await identity.listSessions(account);
    return {
      username: found.name,
      isOwner: found.isOwner,
      created: String(found.created),
      devices: (await devices.list(account)).map(({ name }) => name),
      sessions: sessions
        .toSorted((a, b) => Temporal.Instant.compare(b.lastSeen, a.lastSeen) || b.id - a.id)
        .map(({ id, created, lastSeen, expires, address, browser }) => ({
          id,
          created: String(created),
          lastSeen: String(lastSeen),
          expires: String(expires),
          address,
          browser,
        })),
    };
  };
