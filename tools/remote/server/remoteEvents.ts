import { MAX_EVENT_AGE_MS } from '#platform/contract/event.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { createReplicatedMap } from '#platform/server/cluster/replicatedMap.ts';
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
import { findKey } from '../domain/keys.ts';
import { requireAbility } from './messageSender.ts';
import { createMice } from './mice.ts';

/** Tracks on which devices a password field has the keyboard focus, by their last reports; in memory only. */
export interface PasswordFocus {
  readonly isFocused: (device: number) => boolean;
  readonly report: (from: { readonly account: number; readonly device: number }, isFocused: boolean) => void;
}

export function createPasswordFocus({
  devices,
  realtime,
  cluster,
}: Pick<ServerContext, 'devices' | 'realtime' | 'cluster'>): PasswordFocus {
  const accountByDevice = createReplicatedMap<number>(cluster, 'password focus');

  function setFocus(account: number, device: number, isFocused: boolean): void {
    if (accountByDevice.has(device) === isFocused) return;
    if (isFocused) accountByDevice.set(device, account);
    else accountByDevice.delete(device);
    realtime.send(`account:${account}`, passwordFocusChanged, { target: String(device), isFocused });
  }

  devices.onStateChange(({ id }, state) => {
    const account = accountByDevice.get(id);
    if (state === 'Disconnected' && account !== undefined) setFocus(account, id, false);
  });
  return {
    isFocused: (device) => accountByDevice.has(device),
    report: ({ account, device }, isFocused) => {
      if (devices.getState(device) === 'Connected') setFocus(account, device, isFocused);
    },
  };
}

/** Detects delayed events by the sender's clock: the fastest event of a socket shows the offset of the two clocks. */
export interface DelayDetector {
  readonly isLate: (connection: Pick<Connection, 'id' | 'onClose'>, sentAt: number) => boolean;
}

interface DelayState {
  /** Smallest difference between the two clocks, in milliseconds. */
  readonly minOffsetMs: number;
  /** Start of an unbroken series of late events. */
  readonly lateSince: number | undefined;
}

/** If all events are late for this long, the connection is fine: the sender's clock stopped while the phone slept. */
const MAX_LATE_MS = 1000;

/** @param now returns milliseconds */
export function createDelayDetector(now: () => number): DelayDetector {
  const stateByConnection = new Map<string, DelayState>();
  return {
    isLate: (connection, sentAt) => {
      const receivedAt = now();
      const elapsed = receivedAt - sentAt;
      const state = stateByConnection.get(connection.id);
      if (!state) connection.onClose(() => stateByConnection.delete(connection.id));
      const minOffsetMs = Math.min(state?.minOffsetMs ?? elapsed, elapsed);
      const isLate = elapsed - minOffsetMs > MAX_EVENT_AGE_MS;
      const lateSince = isLate ? (state?.lateSince ?? receivedAt) : undefined;
      const hasClockMoved = lateSince !== undefined && receivedAt - lateSince > MAX_LATE_MS;
      stateByConnection.set(
        connection.id,
        hasClockMoved ? { minOffsetMs: elapsed, lateSince: undefined } : { minOffsetMs, lateSince },
      );
      return isLate && !hasClockMoved;
    },
  };
}

function requireKey(name: string): string {
  const key = findKey(name);
  if (key === undefined)
    throw new Refusal('remote.unknown_key', `There is no key called '${name.slice(0, 20).toWellFormed()}'`);
  return key;
}

/** Relays the events of the mouse panel and the touchpad to the devices. */
export function createRemoteListeners(
  context: Pick<ServerContext, 'devices' | 'cluster' | 'now'>,
  passwordFocus: PasswordFocus,
): readonly Listener[] {
  const { devices, now } = context;
  const delayDetector = createDelayDetector(() => now().epochMilliseconds);
  const mice = createMice(context, ({ device, controller }) => devices.relay(device, controllerGone, { controller }));
  return [
    listen(motionInit, async ({ target }, { account }, connection) => ({
      target: String((await mice.select(connection, account, target)).id),
    })),
    listen(motion, async ({ target, ...fields }, { account }, connection) => {
      const { device, controller } = await mice.getMouse(connection, account, target);
      devices.relay(device, motionToDevice, { ...fields, controller });
    }),
    listen(pointer, async ({ target, at, ...fields }, { account }, connection) => {
      if (at !== undefined && delayDetector.isLate(connection, at)) return;
      const { device, controller } = await mice.getMouse(connection, account, target);
      devices.relay(device, pointerToDevice, { ...fields, controller });
    }),
    listen(passwordFocusReport, async ({ isFocused }, { account, device }) => {
      passwordFocus.report({ account, device }, isFocused);
    }),
    listen(presskeys, async ({ target, keys }, { account }) => {
      const device = await devices.getSelected(account, target);
      requireAbility(device, 'keyboard');
      await devices.send(device, pressKeys, { keys: keys.map(requireKey) });
    }),
  ];
}
