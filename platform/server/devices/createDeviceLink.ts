import type { FastifyBaseLogger } from 'fastify';
import { LRUCache } from 'lru-cache';
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
import { createSerialQueue } from '#platform/contract/serialQueue.ts';
import { loneCluster, type Cluster } from '../cluster/cluster.ts';
import type { Database } from '../database/database.ts';
import type { Identity } from '../identity/identity.ts';
import type { Realtime } from '../realtime/realtime.ts';
import { realTimers, type Timers } from '../schedule/timers.ts';
import { listen, type Listener } from '../tool.ts';
import { createBrowserListeners } from './browserDevices.ts';
import { validateComputer, createCommandSender } from './commandSender.ts';
import type { Device, DeviceLink } from './deviceLink.ts';
import { createDeviceStore, type SelfDescription } from './deviceStore.ts';
import { createPresence, type DeviceJson, parseDevice } from './presence.ts';

/** Maximum length of a device name, in Unicode code points. */
export const MAX_DEVICE_NAME_LENGTH = 40;

const foldName = (name: string): string => name.normalize('NFC').toLowerCase();

/** Compares device names, ignoring case and Unicode composition. */
export function isSameName(first: string, second: string): boolean {
  return foldName(first) === foldName(second);
}

const truncate = (name: string, length: number): string => Array.from(name).slice(0, length).join('').trimEnd();

/** Returns the name, or if it is taken the name with the first free number: 'media box 2'. */
export function findUnusedName(desiredName: string, takenNames: readonly string[]): string {
  const foldedNames = new Set(takenNames.map(foldName));
  let name = truncate(desiredName, MAX_DEVICE_NAME_LENGTH);
  for (let number = 2; foldedNames.has(foldName(name)); number += 1)
    name = `${truncate(desiredName, MAX_DEVICE_NAME_LENGTH - String(number).length - 1)} ${number}`;
  return name;
}

export interface DeviceLinkOptions {
  readonly database: Database;
  readonly identity: Pick<Identity, 'endSessions' | 'onSessionsEnded'>;
  readonly realtime: Pick<Realtime, 'send' | 'sendHere' | 'request'>;
  readonly cluster?: Cluster;
  readonly now: () => Temporal.Instant;
  readonly log: FastifyBaseLogger;
  /** SHA-256 (hex) of the agent that this server serves; '' if there is none. */
  readonly getAgentDigest?: () => string;
  readonly timers?: Timers;
}

/** The device link with its lifecycle, for the server. */
export interface DeviceLinkService extends DeviceLink {
  readonly listeners: readonly Listener[];
  /** Number of connected devices of all accounts. */
  readonly countConnected: () => number;
  /**
   * Restores devices that lost their connection shortly before the server stopped, as Reconnecting.
   * Call it before the server listens.
   */
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

const UNKNOWN_DEVICE_MESSAGE = 'There is no such device';
const NO_DEVICE_SELECTED_MESSAGE = 'no device selected';
const MAX_DEVICES_PER_ACCOUNT = 200;
const DEVICE_CACHE_SIZE = 10_000;
/** PostgreSQL refuses larger integers, even in queries. */
const MAX_ID = 2 ** 31 - 1;
const CONTROL_CHARACTERS = /\p{Cc}/gu;

/** Caches devices, so that a stream of events does not read the database. */
function createDeviceCache() {
  const cachedDevices = new LRUCache<number, Device>({ max: DEVICE_CACHE_SIZE });
  const removedIds = new Set<number>();
  let changeCount = 0;
  function invalidate(device: number): void {
    changeCount += 1;
    cachedDevices.delete(device);
  }
  return {
    get: (device: number): Device | undefined => cachedDevices.get(device),
    getChangeCount: (): number => changeCount,
    /** Caches a device that was read when the change count was `since`, unless something changed meanwhile. */
    add: (device: Device, since: number): void => {
      if (since === changeCount) cachedDevices.set(device.id, device);
    },
    invalidate,
    remove: (device: number): void => {
      invalidate(device);
      removedIds.add(device);
    },
    isRemoved: (device: number): boolean => removedIds.has(device),
    clear: (): void => {
      changeCount += 1;
      cachedDevices.clear();
    },
  };
}

/** PostgreSQL cannot store NUL, and pages cannot show the other control characters. */
const removeControlCharacters = ({ version, system, abilities }: SelfDescription): SelfDescription => ({
  version: version.replaceAll(CONTROL_CHARACTERS, ''),
  system: system.replaceAll(CONTROL_CHARACTERS, ''),
  abilities,
});

/** System of devices that an import has created. */
const IMPORTED_SYSTEM = 'Imported';

/** Creates the device link (docs/specification/devices.md section 4). */
export function createDeviceLink(options: DeviceLinkOptions): DeviceLinkService {
  const { database, identity, realtime, now, log, timers = realTimers, getAgentDigest = () => '' } = options;
  const { cluster = loneCluster } = options;
  const store = createDeviceStore(database);
  const cache = createDeviceCache();
  const listeners = new Set<(device: Device, state: DeviceState) => void>();
  const enqueue = createSerialQueue();

  /** Notifies the pages of this instance. The others learn of the change too, and notify theirs. */
  const notifyPages = (device: Device, state: DeviceState): void =>
    realtime.sendHere(`account:${device.account}`, deviceChanged, { id: device.id, name: device.name, state });
  /** Runs writes one by one, so that the later of two for one device wins. */
  function enqueueWrite(write: () => Promise<void>): void {
    enqueue(write).catch((error: unknown) => {
      log.error({ err: error }, 'device.last_seen.unsaved');
    });
  }
  const presence = createPresence({
    timers,
    now,
    cluster,
    onChange: ({ device, state, reason, session, isSavedElsewhere }) => {
      // A connecting device is saved by its hello. An expired one needs no change.
      const changedAt = now();
      if (!isSavedElsewhere) {
        if (reason === 'abandoned') enqueueWrite(() => store.clearLost(device));
        else if (reason === 'lost') enqueueWrite(() => store.markSeen(device, changedAt, session));
        else if (reason !== 'connected' && reason !== 'expired') enqueueWrite(() => store.markSeen(device, changedAt));
      }
      notifyPages(device, state);
      for (const listener of listeners) listener(device, state);
    },
    onConnectedElsewhere: ({ id }) => cache.invalidate(id),
  });
  identity.onSessionsEnded(presence.onSessionsEnded);

  async function findOwned(account: number, device: number): Promise<Device> {
    if (device > MAX_ID) throw new Refusal('device.not_found', UNKNOWN_DEVICE_MESSAGE);
    const cached = cache.get(device);
    if (cached?.account === account) return cached;
    const since = cache.getChangeCount();
    const stored = await store.find(account, device);
    if (!stored) throw new Refusal('device.not_found', UNKNOWN_DEVICE_MESSAGE);
    cache.add(stored, since);
    return stored;
  }
  const getOwned: DeviceLink['getOwned'] = async (account, target) => {
    if (target === NO_TARGET || target === '') throw new Refusal('message.no_device', NO_DEVICE_SELECTED_MESSAGE);
    if (!/^[1-9]\d{0,9}$/.test(target)) throw new Refusal('device.not_found', UNKNOWN_DEVICE_MESSAGE);
    return findOwned(account, Number(target));
  };

  const add: DeviceLink['add'] = async (tx, { account, name, system = '', ...rest }) => {
    const names = await store.lockNames(tx, account);
    if (names.length >= MAX_DEVICES_PER_ACCOUNT)
      throw new Refusal(
        'device.limit_reached',
        `You have the maximum of ${MAX_DEVICES_PER_ACCOUNT} devices. Remove one first`,
      );
    const takenNames = names.map((other) => other.name);
    return store.insert(tx, { account, name: findUnusedName(name, takenNames), system, created: now(), ...rest });
  };

  const findOrAddImported: DeviceLink['findOrAddImported'] = async (tx, account, name) =>
    (await store.findBySystem(tx, account, { name, system: IMPORTED_SYSTEM })) ??
    add(tx, { account, kind: 'computer', name, system: IMPORTED_SYSTEM });

  /** Removes a deleted device from cache and presence, and notifies pages. */
  function forget(removed: Device): void {
    cache.remove(removed.id);
    presence.removeDevice(removed.id);
    notifyPages(removed, 'Disconnected');
  }
  function handleRemoved(removed: Device): void {
    forget(removed);
    cluster.publish('device.removed', removed);
  }
  function applyRename(renamed: Device): void {
    cache.invalidate(renamed.id);
    presence.updateDevice(renamed);
    notifyPages(renamed, presence.getState(renamed.id));
  }
  cluster.subscribe('device.removed', (removed: DeviceJson) => forget(parseDevice(removed)));
  cluster.subscribe('device.renamed', (renamed: DeviceJson) => applyRename(parseDevice(renamed)));
  // Messages may have been lost.
  cluster.onJoined(cache.clear);

  const sender = createCommandSender({ realtime, presence, timers, now, log });
  cluster.subscribe('device.progress', ({ device, ids }: { device: number; ids: readonly string[] }) => {
    sender.onProgress(device, ids);
  });

  const helloListener = listen(deviceHello, async (description, caller, connection) => {
    const since = cache.getChangeCount();
    const device = await store.updateDescription(
      { account: caller.account, id: caller.device },
      removeControlCharacters(description),
      now(),
    );
    if (!device || cache.isRemoved(device.id)) throw new InvalidTokenRefusal();
    cache.add(device, since);
    connection.join(`device:${device.id}`);
    presence.connect(device, caller.session, connection);
    return { id: device.id, name: device.name, agentDigest: getAgentDigest() };
  });

  return {
    list: store.list,
    getOwned,
    getSelected: async (account, target) => {
      if (target !== undefined && target !== NO_TARGET && target !== '') {
        const targetDevice = await getOwned(account, target);
        validateComputer(targetDevice);
        return targetDevice;
      }
      const [device] = presence.listAvailable(account);
      if (!device) throw new Refusal('message.no_device', NO_DEVICE_SELECTED_MESSAGE);
      return device;
    },
    add,
    findOrAddImported,
    rename: async (account, device, name) => {
      const before = await findOwned(account, device);
      await database.transaction(async ({ tx, afterCommit }) => {
        const names = await store.lockNames(tx, account);
        if (names.some((other) => other.id !== device && isSameName(other.name, name)))
          throw new Refusal('device.name_taken', 'You already have a device with that name. Enter another name');
        await store.rename(tx, { account, id: device, name });
        afterCommit(() => {
          const renamed = { ...(cache.get(device) ?? before), name };
          applyRename(renamed);
          cluster.publish('device.renamed', renamed);
        });
      });
    },
    remove: async (account, device) => {
      const removed = await findOwned(account, device);
      await identity.endSessions(account, { device });
      await store.remove(account, device);
      handleRemoved(removed);
      // Erases the messages to the device as well.
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
    onStateChange: (listener) => void listeners.add(listener),
    start: async () => {
      const startedAt = now().epochMilliseconds;
      for (const { device, lostAt, session } of await store.listLostSince(startedAt - RECONNECT_TIMEOUT_MS)) {
        // Limits the wait in case the clock was set back.
        presence.expectReconnect(
          device,
          session,
          Math.min(RECONNECT_TIMEOUT_MS, lostAt + RECONNECT_TIMEOUT_MS - startedAt),
        );
      }
    },
    listeners: [
      helloListener,
      ...createBrowserListeners({
        database,
        store,
        presence,
        now,
        add,
        onRemoved: handleRemoved,
        isRemoved: cache.isRemoved,
      }),
      listen(commandProgress, async ({ ids }, { device }) => {
        const sentElsewhere = sender.onProgress(device, ids);
        if (sentElsewhere.length > 0) cluster.publish('device.progress', { device, ids: sentElsewhere });
      }),
      listen(clock, async () => ({ now: now().epochMilliseconds })),
    ],
    stop: async () => {
      presence.stop();
      await enqueue(async () => undefined);
    },
  };
}
