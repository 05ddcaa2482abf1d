import type { ServerContext, ServerSite } from '#platform/server/tool.ts';
import { warningsOf } from './warnings.ts';

/** So long is an untrusted proxy warned of after it was seen. */
const LATELY = Temporal.Duration.from({ hours: 24 });

/** The security events of one account as the wire writes them, newest first. */
export const eventsOf =
  ({ security, devices }: Pick<ServerContext, 'security' | 'devices'>) =>
  async (account: number) => {
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

/** Those of all accounts and of the server as a whole, with whose they are. Names of devices are their accounts' own. */
export const allEvents =
  ({ security }: Pick<ServerContext, 'security'>) =>
  async () =>
    (await security.listAll()).map(({ id, event, time, times, address, username }) => ({
      id,
      event,
      time: isoOf(time),
      times,
      address,
      username,
    }));

export const stateOf =
  (
    { database, disk, security, now }: Pick<ServerContext, 'database' | 'disk' | 'security' | 'now'>,
    site: ServerSite,
  ) =>
  async () => {
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

const isoOf = (ms: number): string => Temporal.Instant.fromEpochMilliseconds(ms).toString();
