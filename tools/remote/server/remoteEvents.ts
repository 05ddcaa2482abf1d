import { Refusal } from '#platform/contract/refusal.ts';
import { listen, type ServerContext, type Listener } from '#platform/server/tool.ts';
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
import { createDelays } from './delays.ts';
import { checkAble } from './messageSender.ts';
import { createMice } from './mice.ts';
import type { PasswordFocus } from './passwordFocus.ts';

const keyOr = (name: string): string => {
  const key = keyNamed(name);
  if (key === undefined) throw new Refusal(`There is no key called '${name.slice(0, 20).toWellFormed()}'`);
  return key;
};

/** Relays what the mouse panel and the touchpad do to the devices. */
export const events = (
  ground: Pick<ServerContext, 'devices' | 'now'>,
  passwordFocus: PasswordFocus,
): readonly Listener[] => {
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
};
