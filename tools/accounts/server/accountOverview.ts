import { InvalidTokenRefusal } from '#platform/contract/refusal.ts';
import type { BackupState } from '#platform/server/backup/backupService.ts';
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

/** Lists the app passwords of an account, newest first. */
export async function listAppPasswords({ identity }: Pick<ServerContext, 'identity'>, account: number) {
  return (await identity.appPasswords.list(account)).map(toWireAppPassword);
}

const MIB = 1024 * 1024;

export interface ServerHealth {
  /** Addresses that recently sent forwarded headers without being a trusted proxy. */
  readonly untrustedProxies: readonly string[];
  readonly publicOrigins: readonly string[];
  readonly trustProxy: readonly string[];
  readonly rateLimits: boolean;
  readonly freeBytes: number;
  /** Free space below which the owner is warned. */
  readonly warningBytes: number;
  readonly isDiskFull: boolean;
  readonly canStoreFiles: boolean;
  readonly canStoreLargeFiles: boolean;
  readonly backups: Pick<BackupState, 'failure' | 'isOverdue' | 'next' | 'copies'>;
}

function listBackupWarnings({ failure, isOverdue, next, copies }: ServerHealth['backups']): readonly string[] {
  const warnings: string[] = [];
  if (failure) warnings.push(`The last backup failed: ${failure.message}`);
  else if (isOverdue) warnings.push('The newest backup is too old. Make one now');
  if (copies?.failure) warnings.push(`The last backup was not copied: ${copies.failure.message}`);
  if (next === undefined)
    warnings.push('No backups are scheduled. Unset BACKUP_EVERY, unless something else makes backups of this server');
  return warnings;
}

/** Lists what the owner should check, each in a sentence with what to do. */
export function listWarnings(health: ServerHealth): readonly string[] {
  const warnings: string[] = [];
  const free = `${Math.floor(health.freeBytes / MIB)} MiB of disk space left`;
  if (health.isDiskFull)
    warnings.push(`The disk is full: only ${free}. Only logging in, deleting and exporting work. Free some space`);
  else if (!health.canStoreFiles) warnings.push(`Only ${free}. The server stores no files until you free some space`);
  else if (!health.canStoreLargeFiles) warnings.push(`Only ${free}. Downloads are paused until you free some space`);
  else if (health.freeBytes < health.warningBytes)
    warnings.push(`Only ${free}. Free some space before uploads and downloads stop`);
  for (const address of health.untrustedProxies)
    warnings.push(
      `Forwarded headers from ${address} are ignored, because it is not a trusted proxy. If it is your proxy, add it to TRUST_PROXY`,
    );
  const hasProxy = health.trustProxy.length > 0 || health.untrustedProxies.length > 0;
  if (health.publicOrigins.length > 0 && !hasProxy)
    warnings.push('PUBLIC_ORIGIN is set but TRUST_PROXY is not, so all visitors count as one address');
  warnings.push(...listBackupWarnings(health.backups));
  if (!health.rateLimits) warnings.push('RATE_LIMITS is off, which is only for load tests');
  return warnings;
}

/** How long to warn about an untrusted proxy after its last request. */
const UNTRUSTED_PROXY_WARNING = Temporal.Duration.from({ hours: 24 });

const toIsoString = (ms: number): string => Temporal.Instant.fromEpochMilliseconds(ms).toString();

/** Lists the security events of an account, newest first. */
export async function listSecurityEvents(
  { security, devices }: Pick<ServerContext, 'security' | 'devices'>,
  account: number,
) {
  const names = new Map((await devices.list(account)).map(({ id, name }) => [id, name]));
  return (await security.listByAccount(account)).map(({ id, event, time, times, address, device }) => ({
    id,
    event,
    time: toIsoString(time),
    times,
    address,
    device: device === undefined ? undefined : names.get(device),
  }));
}

/** Lists the security events of all accounts and of the server, without the names of devices, which are private. */
export async function listAllSecurityEvents({ security }: Pick<ServerContext, 'security'>) {
  return (await security.listAll()).map(({ id, event, time, times, address, username }) => ({
    id,
    event,
    time: toIsoString(time),
    times,
    address,
    username,
  }));
}

export async function getServerOverview(
  { database, disk, security, backups, now }: Pick<ServerContext, 'database' | 'disk' | 'security' | 'backups' | 'now'>,
  site: ServerSite,
) {
  const { started, sockets, connectedDevices, instances, ...settings } = site.getState();
  const since = now().subtract(UNTRUSTED_PROXY_WARNING).epochMilliseconds;
  const untrustedEvents = (await security.listAll()).filter(
    ({ event, time }) => event === 'proxy.untrusted' && time > since,
  );
  const freeBytes = disk.getFreeBytes();
  const health: ServerHealth = {
    ...settings,
    untrustedProxies: [...new Set(untrustedEvents.map(({ address }) => address))],
    freeBytes,
    warningBytes: disk.getWarningBytes(),
    isDiskFull: !disk.acceptsDeferrableWrites(),
    canStoreFiles: disk.canStoreFiles(),
    canStoreLargeFiles: disk.canStoreLargeFiles(),
    backups: await backups.getState(),
  };
  return {
    version: site.version,
    started: String(started),
    database: { kind: database.dialect, bytes: await database.getSizeBytes() },
    freeBytes,
    devices: connectedDevices,
    sockets,
    instances: instances.map(({ name, version, role, startedAt, isLeader, isReady }) => ({
      name,
      version,
      role,
      started: String(Temporal.Instant.fromEpochMilliseconds(startedAt)),
      isLeader,
      isReady,
    })),
    warnings: [...listWarnings(health)],
  };
}

const toWireFailure = (failure: BackupState['failure']) =>
  failure === undefined ? {} : { failure: { time: String(failure.time), message: failure.message } };

function toWireCopies({ address, newest, failure }: NonNullable<BackupState['copies']>) {
  return { address, ...(newest === undefined ? {} : { newest: String(newest.time) }), ...toWireFailure(failure) };
}

/** Describes the backups. Times are ISO 8601. */
export async function getBackupOverview({ backups: service }: Pick<ServerContext, 'backups'>) {
  const { backups, isRunning, next, failure, copies } = await service.getState();
  return {
    backups: backups.map(({ id, created, reason, bytes }) => ({ id, created: String(created), reason, bytes })),
    isRunning,
    ...(next === undefined ? {} : { next: String(next) }),
    ...toWireFailure(failure),
    ...(copies === undefined ? {} : { copies: toWireCopies(copies) }),
  };
}

/** Describes an account with its devices and sessions, last used first. Times are ISO 8601. */
export async function getAccountOverview(
  { identity, devices }: Pick<ServerContext, 'identity' | 'devices'>,
  account: number,
) {
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
}
