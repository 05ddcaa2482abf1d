import type { FastifyBaseLogger } from 'fastify';
import {
  clock,
  commandProgress,
  deviceChanged,
  deviceHello,
  RECONNECTING_MS,
  type DeviceState,
} from '#platform/contract/device.ts';
import { NO_TARGET } from '#platform/contract/fields.ts';
import { InvalidToken, Refusal } from '#platform/contract/refusal.ts';
import type { Database } from '../database/database.ts';
import type { Identity } from '../identity/identity.ts';
import type { Realtime } from '../realtime/realtime.ts';
import { realTimers, type Timers } from '../realtime/timers.ts';
import { listen, type Listener } from '../tool.ts';
import { browserListeners } from './browsers.ts';
import { checkComputer, makeSender } from './commands.ts';
import type { Device, DeviceLink } from './link.ts';
import { isSameName, unusedName } from './names.ts';
import { makePresence } from './presence.ts';
import { deviceStore, type SelfDescription } from './store.ts';

export interface DeviceLinkOptions {
  readonly database: Database;
  readonly identity: Pick<Identity, 'endSessions' | 'onEnded'>;
  readonly realtime: Pick<Realtime, 'send' | 'ask'>;
  readonly now: () => Temporal.Instant;
  readonly log: FastifyBaseLogger;
  /** SHA-256 (hex) of the agent file that this server serves; '' where it serves none. */
  readonly agentDigest?: () => string;
  readonly timers?: Timers;
}

export interface LiveDeviceLink extends DeviceLink {
  readonly listeners: readonly Listener[];
  /** How many devices of all accounts are connected. */
  readonly connected: () => number;
  /** Devices that lost their connection just before the server stopped are Reconnecting. Before the server listens. */
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

const UNKNOWN = 'no such device';
const NONE = 'no device selected';
const MOST = 200;
const REMEMBERED = 10_000;
/** PostgreSQL takes no larger integer, not even to say that there is none. */
const LARGEST_ID = 2 ** 31 - 1;
const CONTROLS = /\p{Cc}/gu;

/** Devices that were asked for, so that a stream of events costs no look into the database. */
const makeMemory = () => {
  const known = new Map<number, Device>();
  const removed = new Set<number>();
  let changes = 0;
  const forget = (device: number): void => {
    changes += 1;
    known.delete(device);
  };
  return {
    get: (device: number): Device | undefined => known.get(device),
    changes: (): number => changes,
    /** Keeps what was read since `changes` had this value, unless something changed meanwhile. */
    keep: (device: Device, since: number): void => {
      if (since !== changes) return;
      if (known.size >= REMEMBERED) known.clear();
      known.set(device.id, device);
    },
    forget,
    remove: (device: number): void => {
      forget(device);
      removed.add(device);
    },
    isRemoved: (device: number): boolean => removed.has(device),
  };
};

/** PostgreSQL keeps no text with a zero in it, and no page shows the rest of them. */
const printable = ({ version, system, abilities }: SelfDescription): SelfDescription => ({
  version: version.replaceAll(CONTROLS, ''),
  system: system.replaceAll(CONTROLS, ''),
  abilities,
});

/** The link to the users' computers and browsers (contract.md section 4, notes/remote-agent.md section 9). */
export const makeDeviceLink = (options: DeviceLinkOptions): LiveDeviceLink => {
  const { database, identity, realtime, now, log, timers = realTimers, agentDigest = () => '' } = options;
  const store = deviceStore(database);
  const memory = makeMemory();
  const told = new Set<(device: Device, state: DeviceState) => void>();
  let writing: Promise<void> = Promise.resolve();

  const tellPages = (device: Device, state: DeviceState): void =>
    realtime.send(`account:${device.account}`, deviceChanged, { id: device.id, name: device.name, state });
  /** One after another: of two about one device the later one is to stay. */
  const write = (work: () => Promise<void>): void => {
    writing = writing.then(work).catch((error: unknown) => {
      log.error({ err: error }, 'last seen of a device not written');
    });
  };
  const presence = makePresence(timers, (device, state, why, session) => {
    // What came is written as it says hello; what does not come back needs no word.
    const at = now();
    if (why === 'given up') write(() => store.notLost(device));
    else if (why === 'lost') write(() => store.seen(device, at, session));
    else if (why !== 'came' && why !== 'expired') write(() => store.seen(device, at));
    tellPages(device, state);
    for (const then of told) then(device, state);
  });
  identity.onEnded(presence.sessionsEnded);

  const find = async (account: number, device: number): Promise<Device> => {
    if (device > LARGEST_ID) throw new Refusal(UNKNOWN);
    const known = memory.get(device);
    if (known?.account === account) return known;
    const since = memory.changes();
    const found = await store.find(account, device);
    if (!found) throw new Refusal(UNKNOWN);
    memory.keep(found, since);
    return found;
  };
  const owned: DeviceLink['owned'] = async (account, target) => {
    if (target === NO_TARGET || target === '') throw new Refusal(NONE);
    if (!/^[1-9]\d{0,9}$/.test(target)) throw new Refusal(UNKNOWN);
    return find(account, Number(target));
  };

  const add: DeviceLink['add'] = async (tx, { account, name, system = '', ...more }) => {
    const names = await store.lockNames(tx, account);
    if (names.length >= MOST) throw new Refusal(`An account can have ${MOST} devices at most: remove one first`);
    const taken = names.map((other) => other.name);
    return store.add(tx, { account, name: unusedName(name, taken), system, created: now(), ...more });
  };

  /** It is no more in the database: nobody may go on with what they knew of it. */
  const forget = (gone: Device): void => {
    memory.remove(gone.id);
    presence.forget(gone.id);
    tellPages(gone, 'Disconnected');
  };

  const sender = makeSender({ realtime, presence, timers, now, log });

  const hello = listen(deviceHello, async (self, caller, connection) => {
    const since = memory.changes();
    const device = await store.describe({ account: caller.account, id: caller.device }, printable(self), now());
    if (!device || memory.isRemoved(device.id)) throw new InvalidToken();
    memory.keep(device, since);
    connection.join(`device:${device.id}`);
    presence.arrive(device, caller.session, connection);
    return { id: device.id, name: device.name, agentDigest: agentDigest() };
  });

  return {
    list: store.list,
    owned,
    chosen: async (account, target) => {
      if (target !== undefined && target !== NO_TARGET && target !== '') {
        const named = await owned(account, target);
        checkComputer(named);
        return named;
      }
      const [device] = presence.present(account);
      if (!device) throw new Refusal(NONE);
      return device;
    },
    add,
    rename: async (account, device, name) => {
      const before = await find(account, device);
      await database.transaction(async ({ tx, afterCommit }) => {
        const names = await store.lockNames(tx, account);
        if (names.some((other) => other.id !== device && isSameName(other.name, name)))
          throw new Refusal('You have another device of that name');
        await store.rename(tx, { account, id: device, name });
        afterCommit(() => {
          const renamed = { ...(memory.get(device) ?? before), name };
          memory.forget(device);
          presence.update(renamed);
          tellPages(renamed, presence.state(device));
        });
      });
    },
    remove: async (account, device) => {
      const gone = await find(account, device);
      await identity.endSessions(account, { device });
      await store.remove(account, device);
      forget(gone);
      // What was sent to it goes along.
      await database.eraseDeleted();
    },
    state: presence.state,
    connected: presence.connected,
    send: sender.send,
    relay: (device, event, data) => {
      if (presence.connection(device) === undefined) return;
      presence.touch(device);
      realtime.send(`device:${device}`, event, data);
    },
    onState: (then) => void told.add(then),
    start: async () => {
      const at = now().epochMilliseconds;
      for (const { device, lostAt, session } of await store.lostSince(at - RECONNECTING_MS)) {
        // A clock that was set back makes nobody wait for longer.
        presence.expect(device, session, Math.min(RECONNECTING_MS, lostAt + RECONNECTING_MS - at));
      }
    },
    listeners: [
      hello,
      ...browserListeners({ database, store, presence, now, add, forget, isRemoved: memory.isRemoved }),
      listen(commandProgress, async ({ ids }, { device }) => {
        sender.progress(device, ids);
        return {};
      }),
      listen(clock, async () => ({ now: now().epochMilliseconds })),
    ],
    stop: async () => {
      presence.stop();
      await writing;
    },
  };
};
