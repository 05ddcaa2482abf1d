import { MAX_EVENT_AGE_MS } from '#platform/contract/event.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { listen, type ServerContext, type Listener, type Connection } from '#platform/server/tool.ts';
import {
  controllerGone,
  motion,
  motionInit,
  motionToDevice,
  passwordFocusReport,
  pointer,
  pointerToDevice,
  presskeys,
  pressKeys,
  passwordFocusChanged,
} from '../contract.ts';
import { keyNamed } from '../domain/keys.ts';
import { checkAble } from './messageSender.ts';
import { createMice } from './mice.ts';

/** Tracks on which devices a password field has the keyboard focus, by their last reports; in memory only. */
export interface PasswordFocus {
  readonly isFocused: (device: number) => boolean;
  readonly report: (from: { readonly account: number; readonly device: number }, isFocused: boolean) => void;
}

export function createPasswordFocus({ devices, realtime }: Pick<ServerContext, 'devices' | 'realtime'>): PasswordFocus {
  const accountByDevice = new Map<number, number>();

  function set(account: number, device: number, isFocused: boolean): void {
    if (accountByDevice.has(device) === isFocused) return;
    if (isFocused) accountByDevice.set(device, account);
    else accountByDevice.delete(device);
    realtime.send(`account:${account}`, passwordFocusChanged, { target: String(device), isFocused });
  }

  devices.onStateChange(({ id }, state) => {
    const account = accountByDevice.get(id);
    if (state === 'Disconnected' && account !== undefined) set(account, id, false);
  });
  return {
    isFocused: (device) => accountByDevice.has(device),
    report: ({ account, device }, isFocused) => {
      if (devices.getState(device) === 'Connected') set(account, device, isFocused);
    },
  };
}

/**
 * Detects delayed events by the sender's own clock: the fastest event of a socket shows the offset between the two
 * clocks.
 */
export interface Delays {
  readonly isLate: (connection: Pick<Connection, 'id' | 'onClose'>, sentAt: number) => boolean;
}

interface DelayState {
  /** Smallest difference between the two clocks, in milliseconds. */
  readonly least: number;
  /** Start of an unbroken series of late events. */
  readonly lateSince: number | undefined;
}

/**
 * If all events are late for this long, the sender's clock stopped while the phone slept; the connection is fine.
 */
const CLOCK_MOVED_MS = 1000;

/**
 * Creates the detector.
 * @param now returns milliseconds
 */
export function createDelays(now: () => number): Delays {
  const sockets = new Map<string, DelayState>();
  return {
    isLate: (connection, sentAt) => {
      const at = now();
      const elapsed = at - sentAt;
      const state = sockets.get(connection.id);
      if (!state) connection.onClose(() => sockets.delete(connection.id));
      const min = Math.min(state?.least ?? elapsed, elapsed);
      const isLate = elapsed - min > MAX_EVENT_AGE_MS;
      const lateSince = isLate ? (state?.lateSince ?? at) : undefined;
      const hasMoved = lateSince !== undefined && at - lateSince > CLOCK_MOVED_MS;
      sockets.set(connection.id, hasMoved ? { least: elapsed, lateSince: undefined } : { least: min, lateSince });
      return isLate && !hasMoved;
    },
  };
}

const requireKey = (name: string): string => {
  const key = keyNamed(name);
  if (key === undefined)
    throw new Refusal('remote.unknown_key', `There is no key called '${name.slice(0, 20).toWellFormed()}'`);
  return key;
};

/** Relays the events of the mouse panel and the touchpad to the devices. */
export function createRemoteListeners(
  context: Pick<ServerContext, 'devices' | 'now'>,
  passwordFocus: PasswordFocus,
): readonly Listener[] {
  const { devices, now } = context;
  const delays = createDelays(() => now().epochMilliseconds);
  const mice = createMice(context, ({ device, controller }) => devices.relay(device, controllerGone, { controller }));
  return [
    listen(motionInit, async ({ target }, { account }, connection) => ({
      target: String((await mice.begin(connection, account, target)).id),
    })),
    listen(motion, async ({ target, ...fields }, { account }, connection) => {
      const { device, controller } = await mice.getMouse(connection, account, target);
      devices.relay(device, motionToDevice, { ...fields, controller });
      return {};
    }),
    listen(pointer, async ({ target, at, ...fields }, { account }, connection) => {
      if (at !== undefined && delays.isLate(connection, at)) return {};
      const { device, controller } = await mice.getMouse(connection, account, target);
      devices.relay(device, pointerToDevice, { ...fields, controller });
      return {};
    }),
    listen(passwordFocusReport, async ({ isFocused }, { account, device }) => {
      passwordFocus.report({ account, device }, isFocused);
      return {};
    }),
    listen(presskeys, async ({ target, keys }, { account }) => {
      const device = await devices.getSelected(account, target);
      checkAble(device, 'keyboard');
      await devices.send(device, pressKeys, { keys: keys.map(requireKey) });
      return {};
    }),
  ];
}
