import type { FastifyBaseLogger } from 'fastify';
import {
  clock,
  commandProgress,
  deviceChanged,
  deviceHello,
  RECONNECT_TIMEOUT_MS,
  type DeviceState,
} from '#platform/contract/device.ts';
import { NO_TARGET } from '#platform/contract/fields.ts';
import { InvalidTokenRefusal, Refusal } from '#platform/contract/refusal.ts';
import type { Database } from '../database/database.ts';
import type { Identity } from '../identity/identity.ts';
import type { Realtime } from '../realtime/realtime.ts';
import { realTimers, type Timers } from '../schedule/timers.ts';
import { listen, type Listener } from '../tool.ts';
import { createBrowserListeners } from './browserDevices.ts';
import { validateComputer, createCommandSender } from './commandSender.ts';
import type { Device, DeviceLink } from './deviceLink.ts';
import { createDeviceStore, type SelfDescription } from './deviceStore.ts';
import { createPresence } from './presence.ts';

/** Longest name of a device, in Unicode code points. */
export const MAX_DEVICE_NAME_LENGTH = 40;

const fold = (name: string): string => name.normalize('NFC').toLowerCase();

export function isSameName(one: string, other: string): boolean {
  return fold(one) === fold(other);
}

const cut = (name: string, length: number): string => Array.from(name).slice(0, length).join('').trimEnd();

/** The name, or where it is taken the name with the first free number behind it: 'media box 2'. */
export function findUnusedName(wanted: string, taken: readonly string[]): string {
  const used = new Set(taken.map(fold));
  let name = cut(wanted, MAX_DEVICE_NAME_LENGTH);
  for (let number = 2; used.has(fold(name)); number += 1)
    name = `${cut(wanted, MAX_DEVICE_NAME_LENGTH - String(number).length - 1)} ${number}`;
  return name;
}

export interface DeviceLinkOptions {
  readonly database: Database;
  readonly identity: Pick<Identity, 'endSessions' | 'onSessionsEnded'>;
  readonly realtime: Pick<Realtime, 'send' | 'request'>;
  readonly now: () => Temporal.Instant;
  readonly log: FastifyBaseLogger;
  /** SHA-256 (hex) of the agent file that this server serves; '' where it serves none. */
  readonly agentDigest?: () => string;
  readonly timers?: Timers;
}

export interface DeviceLinkService extends DeviceLink {
  readonly listeners: readonly Listener[];
  /** How many devices of all accounts are connected. */
  readonly countConnected: () => number;
  /** Devices that lost their connection just before the server stopped are Reconnecting. Before the server listens. */
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

const UNKNOWN_DEVICE_MESSAGE = 'no such device';
const NO_DEVICE_SELECTED_MESSAGE = 'no device selected';
const MAX_DEVICES_PER_ACCOUNT = 200;
const DEVICE_CACHE_SIZE = 10_000;
/** PostgreSQL takes no larger integer, not even to say that there is none. */
const MAX_ID = 2 ** 31 - 1;
const CONTROLS = /\p{Cc}/gu;

/** Devices that were asked for, so that a stream of events costs no look into the database. */
const createDeviceCache = () => {
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
      if (known.size >= DEVICE_CACHE_SIZE) known.clear();
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
const removeControlCharacters = ({ version, system, abilities }: SelfDescription): SelfDescription => ({
  version: version.replaceAll(CONTROLS, ''),
  system: system.replaceAll(CONTROLS, ''),
  abilities,
});

/** The link to the users' computers and browsers (contract.md section 4, notes/remote-agent.md section 9). */
export function createDeviceLink(options: DeviceLinkOptions): DeviceLinkService {
  const { database, identity, realtime, now, log, timers = realTimers, agentDigest = () => '' } = options;
  const store = createDeviceStore(database);
  const memory = createDeviceCache();
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
  const presence = createPresence(timers, (device, state, why, session) => {
    // What came is written as it says hello; what does not come back needs no word.
    const at = now();
    if (why === 'given up') write(() => store.notLost(device));
    else if (why === 'lost') write(() => store.seen(device, at, session));
    else if (why !== 'came' && why !== 'expired') write(() => store.seen(device, at));
    tellPages(device, state);
    for (const then of told) then(device, state);
  });
  identity.onSessionsEnded(presence.onSessionsEnded);

  const find = async (account: number, device: number): Promise<Device> => {
    if (device > MAX_ID) throw new Refusal(UNKNOWN_DEVICE_MESSAGE);
    const known = memory.get(device);
    if (known?.account === account) return known;
    const since = memory.changes();
    const found = await store.find(account, device);
    if (!found) throw new Refusal(UNKNOWN_DEVICE_MESSAGE);
    memory.keep(found, since);
    return found;
  };
  const owned: DeviceLink['getOwned'] = async (account, target) => {
    if (target === NO_TARGET || target === '') throw new Refusal(NO_DEVICE_SELECTED_MESSAGE);
    if (!/^[1-9]\d{0,9}$/.test(target)) throw new Refusal(UNKNOWN_DEVICE_MESSAGE);
    return find(account, Number(target));
  };

  const add: DeviceLink['add'] = async (tx, { account, name, system = '', ...more }) => {
    const names = await store.lockNames(tx, account);
    if (names.length >= MAX_DEVICES_PER_ACCOUNT)
      throw new Refusal(`An account can have ${MAX_DEVICES_PER_ACCOUNT} devices at most: remove one first`);
    const taken = names.map((other) => other.name);
    return store.add(tx, { account, name: findUnusedName(name, taken), system, created: now(), ...more });
  };

  /** It is no more in the database: nobody may go on with what they knew of it. */
  const forget = (gone: Device): void => {
    memory.remove(gone.id);
    presence.removeDevice(gone.id);
    tellPages(gone, 'Disconnected');
  };

  const sender = createCommandSender({ realtime, presence, timers, now, log });

  const hello = listen(deviceHello, async (self, caller, connection) => {
    const since = memory.changes();
    const device = await store.describe(
      { account: caller.account, id: caller.device },
      removeControlCharacters(self),
      now(),
    );
    if (!device || memory.isRemoved(device.id)) throw new InvalidTokenRefusal();
    memory.keep(device, since);
    connection.join(`device:${device.id}`);
    presence.connect(device, caller.session, connection);
    return { id: device.id, name: device.name, agentDigest: agentDigest() };
  });

  return {
    list: store.list,
    getOwned: owned,
    getSelected: async (account, target) => {
      if (target !== undefined && target !== NO_TARGET && target !== '') {
        const named = await owned(account, target);
        validateComputer(named);
        return named;
      }
      const [device] = presence.listAvailable(account);
      if (!device) throw new Refusal(NO_DEVICE_SELECTED_MESSAGE);
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
          presence.updateDevice(renamed);
          tellPages(renamed, presence.getState(device));
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
    getState: presence.getState,
    countConnected: presence.countConnected,
    send: sender.send,
    relay: (device, event, data) => {
      if (presence.getConnection(device) === undefined) return;
      presence.markUsed(device);
      realtime.send(`device:${device}`, event, data);
    },
    onStateChange: (then) => void told.add(then),
    start: async () => {
      const at = now().epochMilliseconds;
      for (const { device, lostAt, session } of await store.lostSince(at - RECONNECT_TIMEOUT_MS)) {
        // A clock that was set back makes nobody wait for longer.
        presence.expectReconnect(device, session, Math.min(RECONNECT_TIMEOUT_MS, lostAt + RECONNECT_TIMEOUT_MS - at));
      }
    },
    listeners: [
      hello,
      ...createBrowserListeners({
        database,
        store,
        presence,
        now,
        add,
        onRemoved: forget,
        isRemoved: memory.isRemoved,
      }),
      listen(commandProgress, async ({ ids }, { device }) => {
        sender.onProgress(device, ids);
        return {};
      }),
      listen(clock, async () => ({ now: now().epochMilliseconds })),
    ],
    stop: async () => {
      presence.stop();
      await writing;
    },
  };
}
