import type { DBusCall, DBusMessage, SessionBus } from '@homebridge/dbus-native';
import { Refusal } from '#platform/contract/refusal.ts';
import type { NotificationDriver, ConfirmationPrompt } from './drivers.ts';
import { callBus, connectBus, matchSignals } from './sessionBus.ts';

const NOTIFICATION_TIMEOUT_MS = 10_000;
const NO_NOTIFICATIONS = 'The desktop of that computer shows no notifications';
const NO_BUTTONS = 'The desktop of that computer shows no buttons in notifications';
const YES = 'yes';
/** Stays until it is answered. */
const CRITICAL = 2;

const service = {
  destination: 'org.freedesktop.Notifications',
  path: '/org/freedesktop/Notifications',
  interface: 'org.freedesktop.Notifications',
} as const;

const invoke = (bus: SessionBus, call: DBusCall): Promise<unknown> =>
  callBus(bus, call).catch((cause: unknown) => {
    throw new Refusal(NO_NOTIFICATIONS, { cause });
  });

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** What of a notification is not its words. */
interface NotificationOptions {
  /** Names and labels in turn. */
  readonly actions: readonly string[];
  readonly hints: readonly (readonly [string, readonly [string, unknown]])[];
  readonly timeoutMs: number;
}

export interface DesktopNotifications extends NotificationDriver, AsyncDisposable {}

const createUnavailable = (): DesktopNotifications => ({
  ability: { able: false, reason: NO_NOTIFICATIONS },
  show: () => Promise.reject(new Refusal(NO_NOTIFICATIONS)),
  confirm: () => Promise.reject(new Refusal(NO_NOTIFICATIONS)),
  [Symbol.asyncDispose]: async () => undefined,
});

/** Hears of pressed buttons and closed notifications from now on. */
const listenTo = (bus: SessionBus): Promise<void> =>
  matchSignals(bus, `type='signal',sender='${service.destination}',interface='${service.interface}'`).catch(
    (cause: unknown) => {
      throw new Refusal(NO_BUTTONS, { cause });
    },
  );

/** What a message says of the notification `id`; undefined where it says nothing of it. */
const answerIn = (message: DBusMessage, id: unknown): { readonly isYes: boolean | undefined } | undefined => {
  const { member, body = [] } = message;
  if (message.interface !== service.interface || body[0] !== id) return undefined;
  if (member === 'ActionInvoked') return { isYes: body[1] === YES };
  return member === 'NotificationClosed' ? { isYes: undefined } : undefined;
};

/** Notifications of the desktop behind this session bus (`DBUS_SESSION_BUS_ADDRESS`), where one answers. */
export async function openNotifications(busAddress: string | undefined): Promise<DesktopNotifications> {
  const bus = busAddress ? connectBus(busAddress) : undefined;
  if (!bus) return createUnavailable();
  const capabilities = await invoke(bus, { ...service, member: 'GetCapabilities' }).catch(() => undefined);
  if (!Array.isArray(capabilities)) {
    bus.connection.end();
    return createUnavailable();
  }
  const written = capabilities.includes('body-markup') ? escaped : (text: string) => text;
  const notify = (title: string, text: string, more: NotificationOptions): Promise<unknown> =>
    invoke(bus, {
      ...service,
      member: 'Notify',
      signature: 'susssasa{sv}i',
      body: ['Pegboard', 0, '', title, written(text), more.actions, more.hints, more.timeoutMs],
    });
  let listening: Promise<void> | undefined;

  const ask = async ({
    title,
    text,
    confirmLabel,
    rejectLabel,
    timeoutMs,
  }: ConfirmationPrompt): Promise<boolean | undefined> => {
    if (!capabilities.includes('actions')) throw new Refusal(NO_BUTTONS);
    listening ??= listenTo(bus).catch((error: unknown) => {
      listening = undefined;
      throw error;
    });
    await listening;
    // Kept from before it is shown: an answer may be here before its number is.
    const heard: DBusMessage[] = [];
    let look: (() => void) | undefined;
    const hear = (message: DBusMessage): void => {
      heard.push(message);
      look?.();
    };
    bus.connection.on('message', hear);
    try {
      const id = await notify(title, text, {
        actions: [YES, confirmLabel, 'no', rejectLabel],
        hints: [['urgency', ['y', CRITICAL]]],
        timeoutMs: timeoutMs,
      });
      return await new Promise((resolve) => {
        const close = (): void => {
          invoke(bus, { ...service, member: 'CloseNotification', signature: 'u', body: [id] }).catch(() => undefined); // gone already
          resolve(undefined);
        };
        const stands = setTimeout(close, timeoutMs).unref();
        look = () => {
          const answer = heard.map((message) => answerIn(message, id)).find((one) => one !== undefined);
          heard.length = 0;
          if (!answer) return;
          clearTimeout(stands);
          resolve(answer.isYes);
        };
        look();
      });
    } finally {
      bus.connection.off('message', hear);
    }
  };

  return {
    ability: { able: true },
    show: async (title, text) => {
      await notify(title, text, {
        actions: [],
        hints: [['category', ['s', 'im.received']]],
        timeoutMs: NOTIFICATION_TIMEOUT_MS,
      });
    },
    confirm: ask,
    [Symbol.asyncDispose]: async () => {
      bus.connection.end();
    },
  };
}
