import { NO_TARGET } from '#platform/contract/fields.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Device } from '#platform/server/devices/link.ts';
import { listen, type Connection, type Ground, type Listener } from '#platform/server/tool.ts';
import { motion, motionInit, motionToDevice } from '../contract.ts';

/** A target that was refused is looked up again after this long, whatever comes meanwhile. */
const ASK_AGAIN_MS = 1000;
/** Targets remembered of one socket; the first is forgotten for one more. */
const REMEMBERED = 8;

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
  target === '' || target === NO_TARGET ? undefined : target;

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
    // Why it could not be had was said to the event that asked; now it is asked afresh.
    const found = await device.catch(() => undefined);
    return !found || (!isNamed && devices.state(found.id) === 'Disconnected');
  };

  const remember = (known: Map<string, Known>, key: string, found: Known): Promise<Device> => {
    known.delete(key);
    known.set(key, found);
    const [oldest] = known.keys();
    if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest);
    return found.device;
  };

  return [
    listen(motionInit, async ({ target }, { account }, connection) => {
      const found = lookUp(account, named(target));
      const device = await remember(knownOf(connection), keyOf(account, undefined), found);
      return { target: String(device.id) };
    }),
    listen(motion, async ({ orientation, reset, acceleration, target }, { account }, connection) => {
      const known = knownOf(connection);
      const key = keyOf(account, named(target));
      const there = known.get(key);
      const device =
        there && !(await isStale(there))
          ? await there.device
          : await remember(known, key, lookUp(account, named(target)));
      devices.relay(device.id, motionToDevice, { orientation, reset, ...(acceleration && { acceleration }) });
      return {};
    }),
  ];
};

/** A socket may come to speak for another account. Without a target: the device of `motioninit`, else the one that is chosen. */
const keyOf = (account: number, target: string | undefined): string => `${account}:${target ?? ''}`;
