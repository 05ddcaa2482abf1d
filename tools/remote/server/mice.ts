import { randomInt } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { NO_TARGET } from '#platform/contract/fields.ts';
import { getOrCreateList } from '#platform/contract/groupBy.ts';
import type { Device } from '#platform/server/devices/deviceLink.ts';
import type { Connection, ServerContext } from '#platform/server/tool.ts';
import { requireAbility } from './messageSender.ts';

/** A refused target is looked up again after this time at the earliest. */
const RETRY_DELAY_MS = 1000;
const MAX_FIRST_NUMBER = 2 ** 40;
/** Per socket; the oldest one is removed. */
const MAX_CACHED_TARGETS = 8;

interface CachedTarget {
  readonly at: number;
  readonly device: Promise<Device>;
  /** The sender named this target, so no other device may replace it. */
  readonly isNamed: boolean;
}

/** One socket that moves mice. */
interface Controller {
  readonly number: number;
  readonly cachedTargets: LRUCache<string, CachedTarget>;
  /** Devices that this controller has moved. */
  readonly movedDevices: Set<number>;
}

/** A device whose mouse is moved, and the controller that moves it. */
export interface Mouse {
  readonly device: number;
  readonly controller: number;
}

export interface Mice {
  /**
   * Selects the device for a socket's events without a target.
   * @throws Refusal if its mouse can't be moved.
   */
  readonly select: (connection: Connection, account: number, target: string | undefined) => Promise<Device>;
  /**
   * Returns the mouse for an event.
   * @throws Refusal if its mouse can't be moved.
   */
  readonly getMouse: (connection: Connection, account: number, target: string | undefined) => Promise<Mouse>;
}

/** '' and 'no id' mean that no device is named. */
const normalizeTarget = (target: string | undefined): string | undefined =>
  target === '' || target === NO_TARGET ? undefined : target;

/** Includes the account, because a socket can change its login. Without a target: the device of `select`. */
const getCacheKey = (account: number, target: string | undefined): string => `${account}:${target ?? ''}`;

/**
 * Finds the devices of events that arrive thirty times a second: looks up each target of a socket once, so that later
 * events need no database query.
 * @param onDisconnect is called for each device that a socket has moved, when the socket is closed
 */
export function createMice(
  { devices, cluster, now }: Pick<ServerContext, 'devices' | 'cluster' | 'now'>,
  onDisconnect: (mouse: Mouse) => void,
): Mice {
  const controllers = new Map<string, Controller>();
  /** Starts so that instances do not use the same numbers. */
  let lastControllerNumber = cluster.isShared ? randomInt(MAX_FIRST_NUMBER) : 0;
  /** Mice of the other instances. If one dies, it cannot release what its controllers hold. */
  const miceByInstance = new Map<string, Mouse[]>();
  cluster.subscribe('remote.mouse', (mouse: Mouse, instance) => getOrCreateList(miceByInstance, instance).push(mouse));
  cluster.subscribe('remote.mice', (mice: Mouse[], instance) => miceByInstance.set(instance, mice));
  cluster.onJoined(() => {
    const mice = [...controllers.values()].flatMap(({ number, movedDevices }) =>
      [...movedDevices].map((device): Mouse => ({ device, controller: number })),
    );
    cluster.publish('remote.mice', mice);
  });
  cluster.subscribe('remote.gone', (gone: number, instance) => {
    const remaining = miceByInstance.get(instance)?.filter(({ controller }) => controller !== gone);
    if (remaining) miceByInstance.set(instance, remaining);
  });
  cluster.onLeft((instance) => {
    for (const mouse of miceByInstance.get(instance) ?? []) onDisconnect(mouse);
    miceByInstance.delete(instance);
  });

  function getController(connection: Connection): Controller {
    const existing = controllers.get(connection.id);
    if (existing) return existing;
    lastControllerNumber += 1;
    const controller: Controller = {
      number: lastControllerNumber,
      cachedTargets: new LRUCache({ max: MAX_CACHED_TARGETS }),
      movedDevices: new Set(),
    };
    controllers.set(connection.id, controller);
    connection.onClose(() => {
      controllers.delete(connection.id);
      cluster.publish('remote.gone', controller.number);
      for (const device of controller.movedDevices) onDisconnect({ device, controller: controller.number });
    });
    return controller;
  }

  const lookUpTarget = (account: number, target: string | undefined): CachedTarget => ({
    at: now().epochMilliseconds,
    device: devices.getSelected(account, target).then((device) => requireAbility(device, 'mouse')),
    isNamed: target !== undefined,
  });

  async function isStale({ at, device, isNamed }: CachedTarget): Promise<boolean> {
    if (now().epochMilliseconds - at < RETRY_DELAY_MS) return false;
    // A target that was refused is looked up again.
    const knownDevice = await device.catch(() => undefined);
    return !knownDevice || (!isNamed && devices.getState(knownDevice.id) === 'Disconnected');
  }

  function cacheTarget({ cachedTargets }: Controller, key: string, cachedTarget: CachedTarget): Promise<Device> {
    cachedTargets.set(key, cachedTarget);
    return cachedTarget.device;
  }

  return {
    select: (connection, account, target) =>
      cacheTarget(
        getController(connection),
        getCacheKey(account, undefined),
        lookUpTarget(account, normalizeTarget(target)),
      ),
    getMouse: async (connection, account, target) => {
      const controller = getController(connection);
      const key = getCacheKey(account, normalizeTarget(target));
      const cachedTarget = controller.cachedTargets.get(key);
      const { id: device } =
        cachedTarget && !(await isStale(cachedTarget))
          ? await cachedTarget.device
          : await cacheTarget(controller, key, lookUpTarget(account, normalizeTarget(target)));
      const mouse = { device, controller: controller.number };
      if (!controller.movedDevices.has(device)) cluster.publish('remote.mouse', mouse);
      controller.movedDevices.add(device);
      return mouse;
    },
  };
}
