import { createClient, type DBusCall, type SessionBus } from '@homebridge/dbus-native';
import { Refusal } from '#platform/contract/refusal.ts';
import type { NotificationDriver } from './drivers.ts';

/** A bus that is dead never answers. */
const PATIENCE_MS = 2000;
const SHOWN_MS = 10_000;
const NO_NOTIFICATIONS = 'The desktop of that computer shows no notifications';

const service = {
  destination: 'org.freedesktop.Notifications',
  path: '/org/freedesktop/Notifications',
  interface: 'org.freedesktop.Notifications',
} as const;

const invoke = (bus: SessionBus, call: DBusCall): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const fail = (cause: unknown): void => {
      clearTimeout(patience);
      reject(new Refusal(NO_NOTIFICATIONS, { cause }));
    };
    const patience = setTimeout(fail, PATIENCE_MS);
    bus.connection.once('error', fail);
    bus.invoke(call, (error, value) => {
      bus.connection.off('error', fail);
      clearTimeout(patience);
      if (error) fail(error);
      else resolve(value);
    });
  });

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

export interface DesktopNotifications extends NotificationDriver, AsyncDisposable {}

const unable = (): DesktopNotifications => ({
  ability: { able: false, reason: NO_NOTIFICATIONS },
  show: () => Promise.reject(new Refusal(NO_NOTIFICATIONS)),
  [Symbol.asyncDispose]: async () => undefined,
});

const connect = (busAddress: string): SessionBus | undefined => {
  try {
    const bus = createClient({ busAddress });
    // A call that is under way hears of it too; an error that nobody hears would be thrown.
    bus.connection.on('error', () => undefined);
    return bus;
  } catch {
    return undefined; // an address of a kind that it does not know
  }
};

/** Notifications of the desktop behind this session bus (`DBUS_SESSION_BUS_ADDRESS`), where one answers. */
export const openNotifications = async (busAddress: string | undefined): Promise<DesktopNotifications> => {
  const bus = busAddress ? connect(busAddress) : undefined;
  if (!bus) return unable();
  const capabilities = await invoke(bus, { ...service, member: 'GetCapabilities' }).catch(() => undefined);
  if (!Array.isArray(capabilities)) {
    bus.connection.end();
    return unable();
  }
  const written = capabilities.includes('body-markup') ? escaped : (text: string) => text;
  return {
    ability: { able: true },
    show: async (title, text) => {
      await invoke(bus, {
        ...service,
        member: 'Notify',
        signature: 'susssasa{sv}i',
        body: ['Pegboard', 0, '', title, written(text), [], [['category', ['s', 'im.received']]], SHOWN_MS],
      });
    },
    [Symbol.asyncDispose]: async () => {
      bus.connection.end();
    },
  };
};
