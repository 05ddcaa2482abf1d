import { InvalidTokenRefusal } from '#platform/contract/refusal.ts';
import type { AppPasswordInfo } from '#platform/server/identity/identity.ts';
import type { ServerContext, ServerSite } from '#platform/server/tool.ts';
import type { AppPasswordKind } from '../contract.ts';

/** Converts an app password to the format of the wire. Times are ISO 8601. */
export function toWireAppPassword({ id, name, kind, created, lastUsed, address }: AppPasswordInfo) {
  return {
    id,
    name,
    kind: kind as AppPasswordKind,
    created: String(created),
    ...(lastUsed === undefined ? {} : { lastUsed: String(lastUsed) }),
    address,
  };
}

/** Returns a function that lists the app passwords of an account, newest first. */
export function createAppPasswordList({ identity }: Pick<ServerContext, 'identity'>) {
  return async (account: number) => (await identity.appPasswords.list(account)).map(toWireAppPassword);
}

const MIB = 1024 * 1024;

export interface ServerCircumstances {
  /** Addresses that recently sent forwarded headers without being a trusted proxy. */
  readonly untrustedProxies: readonly string[];
  readonly publicOrigins: readonly string[];
  readonly trustProxy: readonly string[];
  readonly rateLimits: boolean;
  readonly freeBytes: number;
  readonly mayKeepFiles: boolean;
  readonly mayDownload: boolean;
}

/** Lists what the owner should check, each in a sentence with what to do. */
export function listWarnings(circumstances: ServerCircumstances): readonly string[] {
  const warnings: string[] = [];
  const free = `${Math.floor(circumstances.freeBytes / MIB)} MiB of disk space left`;
  if (!circumstances.mayKeepFiles) warnings.push(`Only ${free}. The server stores no files until you free some space`);
  else if (!circumstances.mayDownload) warnings.push(`Only ${free}. Downloads are paused until you free some space`);
  for (const address of circumstances.untrustedProxies)
    warnings.push(
      `Forwarded headers from ${address} are ignored, because it is not a trusted proxy. If it is your proxy, add it to TRUST_PROXY`,
    );
  const isProxyUnnamed = circumstances.trustProxy.length === 0 && circumstances.untrustedProxies.length === 0;
  if (circumstances.publicOrigins.length > 0 && isProxyUnnamed)
    warnings.push('PUBLIC_ORIGIN is set but TRUST_PROXY is not, so all visitors count as one address');
  if (!circumstances.rateLimits) warnings.push('RATE_LIMITS is off, which is only for load tests');
  return warnings;
}

/** How long to warn about an untrusted proxy after its last request. */
const UNTRUSTED_PROXY_WARNING = Temporal.Duration.from({ hours: 24 });

/** Returns a function that lists the security events of one account, newest first. */
export function createSecurityEventList({ security, devices }: Pick<ServerContext, 'security' | 'devices'>) {
  return async (account: number) => {
    const names = new Map((await devices.list(account)).map(({ id, name }) => [id, name]));
    return (await security.listByAccount(account)).map(({ id, event, time, times, address, device }) => ({
      id,
      event,
      time: toIsoString(time),
      times,
      address,
      device: device === undefined ? undefined : names.get(device),
    }));
  };
}

/**
 * Returns a function that lists the security events of all accounts and of the server. It leaves out the names of
 * devices, because they are private.
 */
export function createAllSecurityEventsList({ security }: Pick<ServerContext, 'security'>) {
  return async () =>
    (await security.listAll()).map(({ id, event, time, times, address, username }) => ({
      id,
      event,
      time: toIsoString(time),
      times,
      address,
      username,
    }));
}

export function createServerOverview(
  { database, disk, security, now }: Pick<ServerContext, 'database' | 'disk' | 'security' | 'now'>,
  site: ServerSite,
) {
  return async () => {
    const { started, sockets, connectedDevices, ...settings } = site.getState();
    const since = now().subtract(UNTRUSTED_PROXY_WARNING).epochMilliseconds;
    const untrustedEvents = (await security.listAll()).filter(
      ({ event, time }) => event === 'proxy.untrusted' && time > since,
    );
    const diskState = {
      freeBytes: disk.getFreeBytes(),
      mayKeepFiles: disk.canStoreFiles(),
      mayDownload: disk.canStoreLargeFiles(),
    };
    const untrustedProxies = [...new Set(untrustedEvents.map(({ address }) => address))];
    return {
      version: site.version,
      started: String(started),
      database: { kind: database.dialect, bytes: await database.getSizeBytes() },
      freeBytes: diskState.freeBytes,
      devices: connectedDevices,
      sockets,
      warnings: [...listWarnings({ ...settings, ...diskState, untrustedProxies })],
    };
  };
}

const toIsoString = (ms: number): string => Temporal.Instant.fromEpochMilliseconds(ms).toString();

/** Returns a function that describes an account with its devices and sessions, last used first. Times are ISO 8601. */
export function createAccountOverview({ identity, devices }: Pick<ServerContext, 'identity' | 'devices'>) {
  return async (account: number) => {
    const accountInfo = await identity.findAccount(account);
    if (accountInfo === undefined) throw new InvalidTokenRefusal();
    const sessions = await identity.listSessions(account);
    return {
      username: accountInfo.name,
      isOwner: accountInfo.isOwner,
      created: String(accountInfo.created),
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
