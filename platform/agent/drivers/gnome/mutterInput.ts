import type { SessionBus } from '@homebridge/dbus-native';
import { callBus, getBusProperty, matchSignals, START_TIMEOUT_MS } from '../sessionBus.ts';
import { createInputPipe, type RemoteInput } from './remoteInput.ts';

export const MUTTER_INPUT_NAME = 'org.gnome.Mutter.RemoteDesktop';
const SERVICE = {
  destination: MUTTER_INPUT_NAME,
  path: '/org/gnome/Mutter/RemoteDesktop',
  interface: MUTTER_INPUT_NAME,
} as const;
const SESSION_INTERFACE = `${MUTTER_INPUT_NAME}.Session`;

/**
 * Starts remote input through GNOME's own interface. The desktop shows a mark in its top bar meanwhile.
 * @throws if the desktop refuses, for example while its screen is locked.
 */
export async function openMutterInput(bus: SessionBus): Promise<RemoteInput> {
  const path = String(await callBus(bus, { ...SERVICE, member: 'CreateSession' }, START_TIMEOUT_MS));
  const session = { destination: SERVICE.destination, path, interface: SESSION_INTERFACE };
  await using opening = new AsyncDisposableStack();
  const pipe = opening.use(createInputPipe({ bus, target: session, session, endMember: 'Stop' }));
  await matchSignals(bus, `type='signal',interface='${SESSION_INTERFACE}',member='Closed'`, START_TIMEOUT_MS);
  await callBus(bus, { ...session, member: 'Start' }, START_TIMEOUT_MS);
  opening.move();
  const send = (member: string, signature: string, ...body: readonly unknown[]): void =>
    pipe.send({ member, signature, body });
  return {
    sendKeysym: (keysym, down) => send('NotifyKeyboardKeysym', 'ub', keysym, down),
    sendKeycode: (code, down) => send('NotifyKeyboardKeycode', 'ub', code, down),
    movePointer: (dx, dy) => send('NotifyPointerMotionRelative', 'dd', dx, dy),
    sendButton: (code, down) => send('NotifyPointerButton', 'ib', code, down),
    turnWheel: (axis, steps) => send('NotifyPointerAxisDiscrete', 'ui', axis, steps),
    isCapsLocked: async () => {
      const value = await getBusProperty(bus, session, 'CapsLockState').catch(() => undefined);
      return typeof value === 'boolean' ? value : undefined;
    },
    ...pipe,
  };
}
