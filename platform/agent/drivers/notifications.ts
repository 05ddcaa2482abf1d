import type { DBusCall, DBusMessage, SessionBus } from '@homebridge/dbus-native';
import { Refusal } from '#platform/contract/refusal.ts';
import type { NotificationDriver, ConfirmationPrompt } from './drivers.ts';
import { callBus, connectBus, matchSignals } from './sessionBus.ts';

const NOTIFICATION_TIMEOUT_MS = 10_000;
const NO_NOTIFICATIONS_MESSAGE = "The desktop of that computer doesn't show notifications";
const NO_BUTTONS_MESSAGE = "The desktop of that computer doesn't show buttons in notifications";
const YES = 'yes';
/** Urgency of a notification that stays until it is answered. */
const CRITICAL = 2;

const SERVICE = {
  destination: 'org.freedesktop.Notifications',
  path: '/org/freedesktop/Notifications',
  interface: 'org.freedesktop.Notifications',
} as const;

const invoke = (bus: SessionBus, call: DBusCall): Promise<unknown> =>
  callBus(bus, call).catch((cause: unknown) => {
    throw new Refusal('device.no_notifications', NO_NOTIFICATIONS_MESSAGE, { cause });
  });

const escapeMarkup = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Parts of a notification besides its text. */
interface NotificationOptions {
  /** Keys and labels alternate. */
  readonly actions: readonly string[];
  readonly hints: readonly (readonly [string, readonly [string, unknown]])[];
  readonly timeoutMs: number;
}

export interface DesktopNotifications extends NotificationDriver, AsyncDisposable {}

const createUnavailableNotifications = (): DesktopNotifications => ({
  ability: { able: false, reason: NO_NOTIFICATIONS_MESSAGE },
  show: () => Promise.reject(new Refusal('device.no_notifications', NO_NOTIFICATIONS_MESSAGE)),
  confirm: () => Promise.reject(new Refusal('device.no_notifications', NO_NOTIFICATIONS_MESSAGE)),
  [Symbol.asyncDispose]: async () => undefined,
});

/** Subscribes to pressed buttons and closed notifications. */
const subscribe = (bus: SessionBus): Promise<void> =>
  matchSignals(bus, `type='signal',sender='${SERVICE.destination}',interface='${SERVICE.interface}'`).catch(
    (cause: unknown) => {
      throw new Refusal('device.no_notification_buttons', NO_BUTTONS_MESSAGE, { cause });
    },
  );

/** Returns the answer in a message about the notification `id`; undefined if the message is about something else. */
function findAnswer(message: DBusMessage, id: unknown): { readonly isYes: boolean | undefined } | undefined {
  const { member, body = [] } = message;
  if (message.interface !== SERVICE.interface || body[0] !== id) return undefined;
  if (member === 'ActionInvoked') return { isYes: body[1] === YES };
  return member === 'NotificationClosed' ? { isYes: undefined } : undefined;
}

/** Opens the notifications of the desktop behind this session bus (`DBUS_SESSION_BUS_ADDRESS`), if it has any. */
export async function openNotifications(busAddress: string | undefined): Promise<DesktopNotifications> {
  const bus = busAddress ? connectBus(busAddress) : undefined;
  if (!bus) return createUnavailableNotifications();
  const capabilities = await invoke(bus, { ...SERVICE, member: 'GetCapabilities' }).catch(() => undefined);
  if (!Array.isArray(capabilities)) {
    bus.connection.end();
    return createUnavailableNotifications();
  }
  const formatText = capabilities.includes('body-markup') ? escapeMarkup : (text: string) => text;
  /** Shows a notification and returns its id. */
  const notify = (title: string, text: string, options: NotificationOptions): Promise<unknown> =>
    invoke(bus, {
      ...SERVICE,
      member: 'Notify',
      signature: 'susssasa{sv}i',
      body: ['Pegboard', 0, '', title, formatText(text), options.actions, options.hints, options.timeoutMs],
    });
  let subscribing: Promise<void> | undefined;

  const confirm = async ({
    title,
    text,
    confirmLabel,
    rejectLabel,
    timeoutMs,
  }: ConfirmationPrompt): Promise<boolean | undefined> => {
    if (!capabilities.includes('actions')) throw new Refusal('device.no_notification_buttons', NO_BUTTONS_MESSAGE);
    subscribing ??= subscribe(bus).catch((error: unknown) => {
      subscribing = undefined;
      throw error;
    });
    await subscribing;
    // Messages are collected from before the notification is shown, as the answer may arrive before its id.
    const messages: DBusMessage[] = [];
    let checkMessages: (() => void) | undefined;
    function handleMessage(message: DBusMessage): void {
      messages.push(message);
      checkMessages?.();
    }
    bus.connection.on('message', handleMessage);
    try {
      const id = await notify(title, text, {
        actions: [YES, confirmLabel, 'no', rejectLabel],
        hints: [['urgency', ['y', CRITICAL]]],
        timeoutMs,
      });
      return await new Promise((resolve) => {
        const close = (): void => {
          invoke(bus, { ...SERVICE, member: 'CloseNotification', signature: 'u', body: [id] }).catch(() => undefined); // closed
          resolve(undefined);
        };
        const timeout = setTimeout(close, timeoutMs).unref();
        checkMessages = () => {
          const answer = messages.map((message) => findAnswer(message, id)).find((item) => item !== undefined);
          messages.length = 0;
          if (!answer) return;
          clearTimeout(timeout);
          resolve(answer.isYes);
        };
        checkMessages();
      });
    } finally {
      bus.connection.off('message', handleMessage);
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
    confirm,
    [Symbol.asyncDispose]: async () => {
      bus.connection.end();
    },
  };
}
