import type { Ground, Site } from '#platform/server/tool.ts';
import { warningsOf } from '../domain/warnings.ts';

/** So long is an untrusted proxy warned of after it was seen. */
const LATELY = Temporal.Duration.from({ hours: 24 });

/** The security events of one account as the wire writes them, newest first. */
export const eventsOf =
  ({ security, devices }: Pick<Ground, 'security' | 'devices'>) =>
  async (account: number) => {
    const names = new Map((await devices.list(account)).map(({ id, name }) => [id, name]));
    return (await security.ofAccount(account)).map(({ id, event, time, times, address, device }) => ({
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
  ({ security }: Pick<Ground, 'security'>) =>
  async () =>
    (await security.ofAll()).map(({ id, event, time, times, address, username }) => ({
      id,
      event,
      time: isoOf(time),
      times,
      address,
      username,
    }));

export const stateOf =
  ({ database, disk, security, now }: Pick<Ground, 'database' | 'disk' | 'security' | 'now'>, site: Site) =>
  async () => {
    const { started, sockets, connectedDevices, ...settings } = site.state();
    const since = now().subtract(LATELY).epochMilliseconds;
    const strangers = (await security.ofAll()).filter(({ event, time }) => event === 'proxy.untrusted' && time > since);
    const room = { freeBytes: disk.freeBytes(), mayKeepFiles: disk.mayKeepFiles(), mayDownload: disk.mayDownload() };
    const untrustedProxies = [...new Set(strangers.map(({ address }) => address))];
    return {
      version: site.version,
      started: String(started),
      database: { kind: database.dialect, bytes: await database.bytes() },
      freeBytes: room.freeBytes,
      devices: connectedDevices,
      sockets,
      warnings: [...warningsOf({ ...settings, ...room, untrustedProxies })],
    };
  };

const isoOf = (ms: number): string => Temporal.Instant.fromEpochMilliseconds(ms).toString();
