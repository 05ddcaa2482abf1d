import { NO_TARGET } from '#platform/contract/fields.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Device } from '#platform/server/devices/deviceLink.ts';
import type { Connection, ServerContext } from '#platform/server/tool.ts';

/** A target that was refused is looked up again after this long, whatever comes meanwhile. */
const RETRY_DELAY_MS = 1000;
/** Targets remembered of one socket; the first is forgotten for one more. */
const MAX_CACHED_TARGETS = 8;

interface CachedTarget {
  readonly at: number;
  readonly device: Promise<Device>;
  /** The sender named it, so no other one takes its place. */
  readonly isNamed: boolean;
}

/** One socket that moves mice. */
interface Controller {
  readonly number: number;
  readonly known: Map<string, CachedTarget>;
  /** Devices that it has moved. */
  readonly moved: Set<number>;
}

/** The device whose mouse an event moves, and whose hand moves it. */
export interface Mouse {
  readonly device: number;
  readonly controller: number;
}

export interface Mice {
  /** The device of a socket's events that name no target, from now on. @throws Refusal when its mouse cannot be moved. */
  readonly begin: (connection: Connection, account: number, target: string | undefined) => Promise<Device>;
  /** @throws Refusal when its mouse cannot be moved. */
  readonly of: (connection: Connection, account: number, target: string | undefined) => Promise<Mouse>;
}

const withMouse = (device: Device): Device => {
  if (device.kind === 'browser') throw new Refusal(`${device.name} is a browser, it only takes messages`);
  const { mouse } = device.abilities;
  if (mouse && !mouse.able) throw new Refusal(mouse.reason ?? `${device.name} does not allow its mouse to be moved`);
  return device;
};

/** '' and 'no id' name no device, as nothing does. */
const named = (target: string | undefined): string | undefined =>
  target === '' || target === NO_TARGET ? undefined : target;

/** A socket may come to speak for another account. Without a target: the device it began with, else the one that is chosen. */
const keyOf = (account: number, target: string | undefined): string => `${account}:${target ?? ''}`;

/**
 * Finds the devices of events that come thirty times a second: each socket's are looked up once, after that an event costs no look
 * at the database.
 *
 * @param gone is told of each device that a socket had moved when that socket is gone
 */
export function createMice(
  { devices, now }: Pick<ServerContext, 'devices' | 'now'>,
  gone: (mouse: Mouse) => void,
): Mice {
  const controllers = new Map<string, Controller>();
  let last = 0;

  const controllerOf = (connection: Connection): Controller => {
    const there = controllers.get(connection.id);
    if (there) return there;
    last += 1;
    const made: Controller = { number: last, known: new Map(), moved: new Set() };
    controllers.set(connection.id, made);
    connection.onClose(() => {
      controllers.delete(connection.id);
      for (const device of made.moved) gone({ device, controller: made.number });
    });
    return made;
  };

  const lookUp = (account: number, target: string | undefined): CachedTarget => ({
    at: now().epochMilliseconds,
    device: devices.getSelected(account, target).then(withMouse),
    isNamed: target !== undefined,
  });

  const isStale = async ({ at, device, isNamed }: CachedTarget): Promise<boolean> => {
    if (now().epochMilliseconds - at < RETRY_DELAY_MS) return false;
    // Why it could not be had was said to the event that asked; now it is asked afresh.
    const found = await device.catch(() => undefined);
    return !found || (!isNamed && devices.getState(found.id) === 'Disconnected');
  };

  const remember = ({ known }: Controller, key: string, found: CachedTarget): Promise<Device> => {
    known.delete(key);
    known.set(key, found);
    const [oldest] = known.keys();
    if (known.size > MAX_CACHED_TARGETS && oldest !== undefined) known.delete(oldest);
    return found.device;
  };

  return {
    begin: (connection, account, target) =>
      remember(controllerOf(connection), keyOf(account, undefined), lookUp(account, named(target))),
    of: async (connection, account, target) => {
      const controller = controllerOf(connection);
      const key = keyOf(account, named(target));
      const there = controller.known.get(key);
      const { id: device } =
        there && !(await isStale(there))
          ? await there.device
          : await remember(controller, key, lookUp(account, named(target)));
      controller.moved.add(device);
      return { device, controller: controller.number };
    },
  };
}
