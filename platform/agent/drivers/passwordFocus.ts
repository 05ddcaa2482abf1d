import type { DBusCall, DBusMessage, SessionBus } from '@homebridge/dbus-native';
import type { PasswordFocusDriver } from './drivers.ts';
import { callBus, connectBus, matchSignals, START_TIMEOUT_MS } from './sessionBus.ts';

/** AT-SPI's role of a field with hidden text. */
const ROLE_PASSWORD_TEXT = 40;
const STATE_CHANGED = 'object:state-changed';

export interface DesktopPasswordFocus extends PasswordFocusDriver, AsyncDisposable {
  /** Whether the bus is connected. */
  readonly isOpen: () => boolean;
}

/** Identifies the object that sent a signal. */
const getSource = ({ sender = '', path = '' }: DBusMessage): string => `${sender} ${path}`;

/**
 * Asks the session bus for the accessibility bus, which starts on demand.
 * @throws if this desktop has none.
 */
async function findAccessibilityBus(busAddress: string): Promise<SessionBus> {
  const session = connectBus(busAddress);
  if (!session) throw new Error('no session bus');
  try {
    const service = { destination: 'org.a11y.Bus', path: '/org/a11y/bus', interface: 'org.a11y.Bus' };
    const bus = connectBus(String(await callBus(session, { ...service, member: 'GetAddress' }, START_TIMEOUT_MS)));
    if (!bus) throw new Error('no accessibility bus');
    return bus;
  } finally {
    session.connection.end();
  }
}

const registerEvent = (event: string): DBusCall => ({
  destination: 'org.a11y.atspi.Registry',
  path: '/org/a11y/atspi/registry',
  interface: 'org.a11y.atspi.Registry',
  member: 'RegisterEvent',
  signature: 's',
  body: [event],
});

/** Programs send focus events only after this registration. It does not switch a screen reader on. */
async function subscribe(bus: SessionBus): Promise<void> {
  await matchSignals(
    bus,
    "type='signal',interface='org.a11y.atspi.Event.Object',member='StateChanged'",
    START_TIMEOUT_MS,
  );
  await matchSignals(bus, "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged'", START_TIMEOUT_MS);
  await callBus(bus, registerEvent(`${STATE_CHANGED}:focused`), START_TIMEOUT_MS);
  await callBus(bus, registerEvent(`${STATE_CHANGED}:active`), START_TIMEOUT_MS);
}

/**
 * Follows the keyboard focus through the desktop's accessibility bus (AT-SPI); it requests the role of a field, never
 * its text. GTK and Qt programs report to it; browsers only while a screen reader runs.
 */
export async function openPasswordFocus(busAddress: string | undefined): Promise<DesktopPasswordFocus> {
  const listeners: (() => void)[] = [];
  /** The object that got the focus last, and the same object if it is a password field. */
  let focused: string | undefined;
  let password: string | undefined;

  function setPassword(source: string | undefined): void {
    if (source === password) return;
    password = source;
    for (const listener of listeners) listener();
  }
  async function handleFocus(bus: SessionBus, message: DBusMessage): Promise<void> {
    const { sender = '', path = '' } = message;
    const source = getSource(message);
    focused = source;
    const accessible = { destination: sender, path, interface: 'org.a11y.atspi.Accessible' };
    // A program that has just started may answer late.
    const role = await callBus(bus, { ...accessible, member: 'GetRole' }, START_TIMEOUT_MS).catch(() => undefined);
    // The focus may have moved on in the meantime.
    if (focused === source) setPassword(role === ROLE_PASSWORD_TEXT ? source : undefined);
  }
  function clearFrom(isGone: (source: string) => boolean): void {
    if (focused !== undefined && isGone(focused)) focused = undefined;
    if (password !== undefined && isGone(password)) setPassword(undefined);
  }
  function handleMessage(bus: SessionBus, message: DBusMessage): void {
    const [detail, value] = message.body ?? [];
    if (message.member === 'NameOwnerChanged') {
      const [name, , owner] = message.body ?? [];
      if (owner === '') clearFrom((source) => source.startsWith(`${String(name)} `));
    } else if (message.member !== 'StateChanged') return;
    else if (detail === 'focused' && value === 1) void handleFocus(bus, message);
    else if (detail === 'focused') clearFrom((source) => source === getSource(message));
    // A deactivated window keeps its focused field, and reports it again when it is activated.
    else if (detail === 'active' && value === 0) clearFrom((source) => source.startsWith(`${message.sender ?? ''} `));
  }

  const bus = busAddress ? await findAccessibilityBus(busAddress).catch(() => undefined) : undefined;
  let isOpen = bus !== undefined;
  function handleEnd(): void {
    isOpen = false;
    clearFrom(() => true);
  }
  if (bus) {
    bus.connection.on('message', (message) => handleMessage(bus, message));
    bus.connection.on('error', handleEnd);
    bus.connection.on('end', handleEnd);
    await subscribe(bus).catch(() => {
      bus.connection.end();
      handleEnd();
    });
  }
  return {
    isOpen: () => isOpen,
    isFocused: () => password !== undefined,
    onChange: (listener) => void listeners.push(listener),
    [Symbol.asyncDispose]: async () => bus?.connection.end(),
  };
}
