import type { DBusMessage, SessionBus } from '@homebridge/dbus-native';
import { callBus, getBusProperty, matchSignals, START_TIMEOUT_MS } from '../sessionBus.ts';
import { createCallPipe, type RemoteInput } from './remoteInput.ts';

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
  const listeners: (() => void)[] = [];
  const pipe = createCallPipe(bus, session);
  let isClosed = false;
  function handleMessage({ path: source, interface: interfaceName, member }: DBusMessage): void {
    if (source === path && interfaceName === SESSION_INTERFACE && member === 'Closed') close(true);
  }
  function close(isUnexpected: boolean): void {
    if (isClosed) return;
    isClosed = true;
    bus.connection.off('message', handleMessage);
    pipe.close();
    if (isUnexpected) for (const listener of listeners) listener();
  }
  bus.connection.on('message', handleMessage);
  try {
    await matchSignals(bus, `type='signal',path='${path}',member='Closed'`, START_TIMEOUT_MS);
    await callBus(bus, { ...session, member: 'Start' }, START_TIMEOUT_MS);
  } catch (error) {
    close(false);
    throw error;
  }
  const send = (member: string, signature: string, ...body: readonly unknown[]): void =>
    pipe.send({ member, signature, body });
  return {
    sendKeysym: (keysym, down) => send('NotifyKeyboardKeysym', 'ub', keysym, down),
    sendKeycode: (code, down) => send('NotifyKeyboardKeycode', 'ub', code, down),
    movePointer: (dx, dy) => send('NotifyPointerMotionRelative', 'dd', dx, dy),
    sendButton: (code, down) => send('NotifyPointerButton', 'ib', code, down),
    turnWheel: (axis, steps) => send('NotifyPointerAxisDiscrete', 'ui', axis, steps),
    flush: pipe.flush,
    isCapsLocked: async () => {
      const value = await getBusProperty(bus, session, 'CapsLockState').catch(() => undefined);
      return typeof value === 'boolean' ? value : undefined;
    },
    onClosed: (listener) => void listeners.push(listener),
    [Symbol.asyncDispose]: async () => {
      if (isClosed) return;
      close(false);
      await callBus(bus, { ...session, member: 'Stop' }).catch(() => undefined); // the bus has ended
    },
  };
}
