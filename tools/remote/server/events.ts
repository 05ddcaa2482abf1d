import { NO_TARGET } from '#platform/contract/fields.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Device } from '#platform/server/devices/link.ts';
import { listen, type Connection, type Ground, type Listener } from '#platform/server/tool.ts';
import { motion, motionInit, motionToDevice } from '../contract.ts';

/** A target that was refused is looked up again after this long, whatever comes meanwhile. */
const ASK_AGAIN_MS = 1000;
/** Targets remembered of one socket; the first is forgotten for one more. */
const REMEMBERED = 8;
/** Key of the device for motion that names none: that of `motioninit`, else the one that is chosen. */
const UNNAMED = '';

interface Known {
  readonly at: number;
  readonly device: Promise<Device>;
  /** The sender named it, so no other one takes its place. */
  readonly isNamed: boolean;
}

/** @throws Refusal when its mouse cannot be moved. */
const withMouse = (device: Device): Device => {
  if (device.kind === 'browser') throw new Refusal(`${device.name} is a browser, it only takes messages`);
  const { mouse } = device.abilities;
  if (mouse && !mouse.able) throw new Refusal(mouse.reason ?? `${device.name} does not allow its mouse to be moved`);
  return device;
};

/** '' and 'no id' name no device, as nothing does. */
const named = (target: string | undefined): string | undefined =>
  target === UNNAMED || target === NO_TARGET ? undefined : target;

/** Relays motion to devices. Each socket's devices are looked up once; after that an event costs no look at the database. */
export const events = ({ devices, now }: Ground): readonly Listener[] => {
  const sockets = new Map<string, Map<string, Known>>();

  const knownOf = (connection: Connection): Map<string, Known> => {
    const there = sockets.get(connection.id);
    if (there) return there;
    const known = new Map<string, Known>();
    sockets.set(connection.id, known);
    connection.onClose(() => sockets.delete(connection.id));
    return known;
  };

  const lookUp = (account: number, target: string | undefined): Known => ({
    at: now().epochMilliseconds,
    device: devices.chosen(account, target).then(withMouse),
    isNamed: target !== undefined,
  });

  const isStale = async ({ at, device, isNamed }: Known): Promise<boolean> => {
    if (now().epochMilliseconds - at < ASK_AGAIN_MS) return false;
    const found = await device.catch((error: unknown) => {
      if (error instanceof Refusal) return undefined;
      throw error;
    });
    return !found || (!isNamed && devices.state(found.id) === 'Disconnected');
  };

  const deviceOf = async (connection: Connection, account: number, target: string | undefined): Promise<Device> => {
    const known = knownOf(connection);
    const key = target ?? UNNAMED;
    const there = known.get(key);
    if (there && !(await isStale(there))) return there.device;
    const found = lookUp(account, target);
    known.delete(key);
    known.set(key, found);
    const [oldest] = known.keys();
    if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest);
    return found.device;
  };

  return [
    listen(motionInit, async ({ target }, { account }, connection) => {
      const found = lookUp(account, named(target));
      knownOf(connection).set(UNNAMED, found);
      const device = await found.device;
      return { target: String(device.id) };
    }),
    listen(motion, async ({ orientation, reset, acceleration, target }, { account }, connection) => {
      const device = await deviceOf(connection, account, named(target));
      devices.relay(device.id, motionToDevice, { orientation, reset, ...(acceleration && { acceleration }) });
      return {};
    }),
  ];
};
