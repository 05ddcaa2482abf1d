import { InvalidTokenRefusal } from '#platform/contract/refusal.ts';
import type { AppPasswordInfo } from '#platform/server/identity/identity.ts';
import type { ServerContext, ServerSite } from '#platform/server/tool.ts';

/** An app password as the wire has it; times are ISO 8601. */
export function shownOf({ id, name, kind, created, lastUsed, address }: AppPasswordInfo) {
  return {
    id,
    name,
    kind,
    created: String(created),
    ...(lastUsed === undefined ? {} : { lastUsed: String(lastUsed) }),
    address,
  };
}

/** Of an account, newest first. */
export function appPasswordsOf({ identity }: Pick<ServerContext, 'identity'>) {
  return async (account: number) => (await identity.appPasswords.list(account)).map(shownOf);
}

const MIB = 1024 * 1024;

export interface Circumstances {
  /** Addresses that lately sent forwarded headers without being trusted. */
  readonly untrustedProxies: readonly string[];
  readonly publicOrigins: readonly string[];
  readonly trustProxy: readonly string[];
  readonly rateLimits: boolean;
  readonly freeBytes: number;
  readonly mayKeepFiles: boolean;
  readonly mayDownload: boolean;
}

/** What the owner should look at, each in a sentence that says what to do. */
export function warningsOf(now: Circumstances): readonly string[] {
  const found: string[] = [];
  const free = `${Math.floor(now.freeBytes / MIB)} MiB of disk are free`;
  if (!now.mayKeepFiles) found.push(`Only ${free}: no files are kept until there is room.`);
  else if (!now.mayDownload) found.push(`Only ${free}: nothing is downloaded until there is room.`);
  for (const address of now.untrustedProxies)
    found.push(
      `Forwarded headers from ${address} are ignored, because it is no trusted proxy. If it is your proxy, name it in TRUST_PROXY.`,
    );
  if (now.publicOrigins.length > 0 && now.trustProxy.length === 0 && now.untrustedProxies.length === 0)
    found.push('PUBLIC_ORIGIN is set and TRUST_PROXY is not: all visitors count as one address.');
  if (!now.rateLimits) found.push('RATE_LIMITS is off, which is meant for load tests alone.');
  return found;
}

/** So long is an untrusted proxy warned of after it was seen. */
const LATELY = Temporal.Duration.from({ hours: 24 });

/** The security events of one account as the wire writes them, newest first. */
export function eventsOf({ security, devices }: Pick<ServerContext, 'security' | 'devices'>) {
  return async (account: number) => {
    const names = new Map((await devices.list(account)).map(({ id, name }) => [id, name]));
    return (await security.listByAccount(account)).map(({ id, event, time, times, address, device }) => ({
      id,
      event,
      time: isoOf(time),
      times,
      address,
      device: device === undefined ? undefined : names.get(device),
    }));
  };
}

/** Those of all accounts and of the server as a whole, with whose they are. Names of devices are their accounts' own. */
export function allEvents({ security }: Pick<ServerContext, 'security'>) {
  return async () =>
    (await security.listAll()).map(({ id, event, time, times, address, username }) => ({
      id,
      event,
      time: isoOf(time),
      times,
      address,
      username,
    }));
}

export function stateOf(
  { database, disk, security, now }: Pick<ServerContext, 'database' | 'disk' | 'security' | 'now'>,
  site: ServerSite,
) {
  return async () => {
    const { started, sockets, connectedDevices, ...settings } = site.getState();
    const since = now().subtract(LATELY).epochMilliseconds;
    const strangers = (await security.listAll()).filter(
      ({ event, time }) => event === 'proxy.untrusted' && time > since,
    );
    const room = {
      freeBytes: disk.getFreeBytes(),
      mayKeepFiles: disk.canStoreFiles(),
      mayDownload: disk.canDownload(),
    };
    const untrustedProxies = [...new Set(strangers.map(({ address }) => address))];
    return {
      version: site.version,
      started: String(started),
      database: { kind: database.dialect, bytes: await database.getSizeBytes() },
      freeBytes: room.freeBytes,
      devices: connectedDevices,
      sockets,
      warnings: [...warningsOf({ ...settings, ...room, untrustedProxies })],
    };
  };
}

const isoOf = (ms: number): string => Temporal.Instant.fromEpochMilliseconds(ms).toString();

/** What an account is, with its devices and the sessions of persons, the one used last first. Times are ISO 8601. */
export function overviewOf({ identity, devices }: Pick<ServerContext, 'identity' | 'devices'>) {
  return async (account: number) => {
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
}
