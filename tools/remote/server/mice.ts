import { LRUCache } from 'lru-cache';
import { NO_TARGET } from '#platform/contract/fields.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Device } from '#platform/server/devices/deviceLink.ts';
import type { Connection, ServerContext } from '#platform/server/tool.ts';

/** A refused target is looked up again after this time at the earliest. */
const RETRY_DELAY_MS = 1000;
/** Cached targets per socket; the oldest one is dropped. */
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
  readonly known: LRUCache<string, CachedTarget>;
  /** Devices that this controller has moved. */
  readonly moved: Set<number>;
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
  readonly begin: (connection: Connection, account: number, target: string | undefined) => Promise<Device>;
  /**
   * Returns the mouse for an event.
   * @throws Refusal if its mouse can't be moved.
   */
  readonly getMouse: (connection: Connection, account: number, target: string | undefined) => Promise<Mouse>;
}

const requireMouse = (device: Device): Device => {
  if (device.kind === 'browser')
    throw new Refusal(
      'device.is_browser',
      `${device.name} is a browser, so it only receives messages. Choose a computer`,
    );
  const { mouse } = device.abilities;
  if (mouse && !mouse.able)
    throw new Refusal('device.feature_off', mouse.reason ?? `${device.name} does not allow mouse control`);
  return device;
};

/** '' and 'no id' mean that no device is named. */
const normalizeTarget = (target: string | undefined): string | undefined =>
  target === '' || target === NO_TARGET ? undefined : target;

/**
 * Includes the account, because a socket can change its login. Without a target: the device of `begin`, or the selected
 * one.
 */
const getCacheKey = (account: number, target: string | undefined): string => `${account}:${target ?? ''}`;

/**
 * Finds the devices of events that arrive thirty times a second: each target of a socket is looked up once, and later
 * events need no database query.
 * @param onGone is called for each device that a socket has moved, when the socket is closed
 */
export function createMice(
  { devices, now }: Pick<ServerContext, 'devices' | 'now'>,
  onGone: (mouse: Mouse) => void,
): Mice {
  const controllers = new Map<string, Controller>();
  let lastNumber = 0;

  const getController = (connection: Connection): Controller => {
    const existing = controllers.get(connection.id);
    if (existing) return existing;
    lastNumber += 1;
    const created: Controller = {
      number: lastNumber,
      known: new LRUCache({ max: MAX_CACHED_TARGETS }),
      moved: new Set(),
    };
    controllers.set(connection.id, created);
    connection.onClose(() => {
      controllers.delete(connection.id);
      for (const device of created.moved) onGone({ device, controller: created.number });
    });
    return created;
  };

  const lookUpTarget = (account: number, target: string | undefined): CachedTarget => ({
    at: now().epochMilliseconds,
    device: devices.getSelected(account, target).then(requireMouse),
    isNamed: target !== undefined,
  });

  const isStale = async ({ at, device, isNamed }: CachedTarget): Promise<boolean> => {
    if (now().epochMilliseconds - at < RETRY_DELAY_MS) return false;
    // The event that looked it up was refused with the reason; now it is looked up again.
    const currentDevice = await device.catch(() => undefined);
    return !currentDevice || (!isNamed && devices.getState(currentDevice.id) === 'Disconnected');
  };

  const cacheTarget = ({ known }: Controller, key: string, cachedTarget: CachedTarget): Promise<Device> => {
    known.set(key, cachedTarget);
    return cachedTarget.device;
  };

  return {
    begin: (connection, account, target) =>
      cacheTarget(
        getController(connection),
        getCacheKey(account, undefined),
        lookUpTarget(account, normalizeTarget(target)),
      ),
    getMouse: async (connection, account, target) => {
      const controller = getController(connection);
      const key = getCacheKey(account, normalizeTarget(target));
      const cachedTarget = controller.known.get(key);
      const { id: device } =
        cachedTarget && !(await isStale(cachedTarget))
          ? await cachedTarget.device
          : await cacheTarget(controller, key, lookUpTarget(account, normalizeTarget(target)));
      controller.moved.add(device);
      return { device, controller: controller.number };
    },
  };
}
