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
} from '../contract.ts';
import { keyNamed } from '../domain/keys.ts';
import { checkAble } from './messageSender.ts';
import { createMice } from './mice.ts';
import type { PasswordFocus } from './passwordFocus.ts';

/** Knows which events were long on their way, by the sender's own clock: the quickest of a socket shows how that clock stands to ours. */
export interface Delays {
  readonly isLate: (connection: Pick<Connection, 'id' | 'onClose'>, sentAt: number) => boolean;
}

interface DelayState {
  /** What the quickest one took, by the two clocks. */
  readonly least: number;
  /** All since then were late. */
  readonly lateSince: number | undefined;
}

/** All late for so long is no stall of the line: the sender's clock stood still while the phone slept. */
const CLOCK_MOVED_MS = 1000;

/** @param now milliseconds */
export function createDelays(now: () => number): Delays {
  const sockets = new Map<string, DelayState>();
  return {
    isLate: (connection, sentAt) => {
      const at = now();
      const took = at - sentAt;
      const seen = sockets.get(connection.id);
      if (!seen) connection.onClose(() => sockets.delete(connection.id));
      const least = Math.min(seen?.least ?? took, took);
      const isLate = took - least > MAX_EVENT_AGE_MS;
      const lateSince = isLate ? (seen?.lateSince ?? at) : undefined;
      const hasMoved = lateSince !== undefined && at - lateSince > CLOCK_MOVED_MS;
      sockets.set(connection.id, hasMoved ? { least: took, lateSince: undefined } : { least, lateSince });
      return isLate && !hasMoved;
    },
  };
}

const keyOr = (name: string): string => {
  const key = keyNamed(name);
  if (key === undefined) throw new Refusal(`There is no key called '${name.slice(0, 20).toWellFormed()}'`);
  return key;
};

/** Relays what the mouse panel and the touchpad do to the devices. */
export function events(
  ground: Pick<ServerContext, 'devices' | 'now'>,
  passwordFocus: PasswordFocus,
): readonly Listener[] {
  const { devices, now } = ground;
  const delays = createDelays(() => now().epochMilliseconds);
  const mice = createMice(ground, ({ device, controller }) => devices.relay(device, controllerGone, { controller }));
  return [
    listen(motionInit, async ({ target }, { account }, connection) => ({
      target: String((await mice.begin(connection, account, target)).id),
    })),
    listen(motion, async ({ target, ...held }, { account }, connection) => {
      const { device, controller } = await mice.of(connection, account, target);
      devices.relay(device, motionToDevice, { ...held, controller });
      return {};
    }),
    listen(pointer, async ({ target, at, ...touched }, { account }, connection) => {
      if (at !== undefined && delays.isLate(connection, at)) return {};
      const { device, controller } = await mice.of(connection, account, target);
      devices.relay(device, pointerToDevice, { ...touched, controller });
      return {};
    }),
    listen(passwordFocusReport, async ({ isFocused }, { account, device }) => {
      passwordFocus.report({ account, device }, isFocused);
      return {};
    }),
    listen(presskeys, async ({ target, keys }, { account }) => {
      const device = await devices.getSelected(account, target);
      checkAble(device, 'keyboard');
      await devices.send(device, pressKeys, { keys: keys.map(keyOr) });
      return {};
    }),
  ];
}
