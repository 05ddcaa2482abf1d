import { pushkey, pushsubscribe, pushtest, pushunsubscribe } from '#platform/contract/push.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { call } from './call.ts';
import { remember } from './remember.ts';
import { isSecure } from './secure.ts';
import { session } from './session.ts';

/**
 * Whether the server may notify this browser: `insecure`, the page came over plain http; `unsupported`, the browser has no Web Push;
 * `blocked`, its user said no; `off` and `on`, for the account that is signed in.
 */
export type PushState = 'insecure' | 'unsupported' | 'blocked' | 'off' | 'on';

/** What a page shows by itself, as the service worker shows what the server sends. */
export interface OwnNotification {
  readonly title: string;
  readonly body: string;
  readonly path: string;
  readonly tag: string;
}

const WORKER = '/service-worker.js';

const isSupported = (): boolean => 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;

/** The browser has one subscription, whoever is signed in: it is the account's that switched it on here. */
const ownKey = (): string => `push.${session.current()?.username ?? ''}`;
const isOwn = (): boolean => remember.get(ownKey()) === 'on';

const registered = async (): Promise<ServiceWorkerRegistration | undefined> =>
  isSecure() && isSupported() ? navigator.serviceWorker.getRegistration('/') : undefined;

const subscribed = async (): Promise<PushSubscription | undefined> =>
  (await (await registered())?.pushManager.getSubscription()) ?? undefined;

const base64url = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** A subscription for this server's key; one for another key, as after a new data folder, is of no use. */
const subscribe = async (): Promise<PushSubscription> => {
  const { key } = await call(pushkey, {});
  const { pushManager } = await navigator.serviceWorker.ready;
  const found = await pushManager.getSubscription();
  const known = found?.options.applicationServerKey;
  if (found && known && base64url(known) === key) return found;
  await found?.unsubscribe();
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
};

const subscribeOrSay = async (): Promise<PushSubscription> => {
  try {
    return await subscribe();
  } catch (cause) {
    if (!(cause instanceof DOMException)) throw cause;
    if (cause.name === 'NotAllowedError') throw new Refusal('This browser does not allow notifications');
    throw new Refusal("This browser could not reach its maker's service for notifications");
  }
};

const tellServer = async (subscription: PushSubscription): Promise<void> => {
  const { endpoint = '', keys } = subscription.toJSON();
  await call(pushsubscribe, { endpoint, keys: { p256dh: keys?.['p256dh'] ?? '', auth: keys?.['auth'] ?? '' } });
};

let turn: Promise<unknown> = Promise.resolve();
/** One after another: what is told last is what the server goes by. */
const inTurn = <T>(act: () => Promise<T>): Promise<T> => {
  const done = turn.then(act);
  turn = done.catch(() => undefined);
  return done;
};

export const push = {
  state: async (): Promise<PushState> => {
    if (!isSecure()) return 'insecure';
    if (!isSupported()) return 'unsupported';
    if (Notification.permission === 'denied') return 'blocked';
    return Notification.permission === 'granted' && isOwn() && (await subscribed()) ? 'on' : 'off';
  },

  /** To be called by a click: browsers ask their user only then. Gives what came of it. @throws Refusal */
  switchOn: async (): Promise<PushState> => {
    if ((await Notification.requestPermission()) !== 'granted') return push.state();
    return inTurn(async () => {
      await navigator.serviceWorker.register(WORKER);
      await tellServer(await subscribeOrSay());
      remember.set(ownKey(), 'on');
      return push.state();
    });
  },

  switchOff: (): Promise<PushState> =>
    inTurn(async () => {
      const subscription = await subscribed();
      remember.set(ownKey(), 'off');
      if (subscription) {
        await call(pushunsubscribe, { endpoint: subscription.endpoint });
        await subscription.unsubscribe();
      }
      return push.state();
    }),

  /** The server forgets a browser with the session that subscribed it: a page of the account tells it again. Gives whether it is on. */
  keepUp: (): Promise<boolean> =>
    inTurn(async () => {
      if ((await push.state()) !== 'on') return false;
      await tellServer(await subscribeOrSay());
      return true;
    }),

  /** Has the server send this browser a notification. @throws Refusal */
  test: async (): Promise<void> => {
    const subscription = await subscribed();
    if (!subscription) throw new Refusal('This browser is not subscribed any more: switch its notifications on again');
    await call(pushtest, { endpoint: subscription.endpoint });
  },

  /** Shows a notification of the browser's where its user allowed it. Gives whether it does. */
  show: async ({ title, body, path, tag }: OwnNotification): Promise<boolean> => {
    const worker = await registered();
    if (!worker?.active || Notification.permission !== 'granted') return false;
    await worker.showNotification(title, { body, tag, data: { path } });
    return true;
  },

  /** Runs when a notification of this page's address is clicked while the page is open. Gives back how to stop listening. */
  onClick: (then: (path: string) => void): (() => void) => {
    if (!('serviceWorker' in navigator)) return () => undefined;
    const hear = ({ data }: MessageEvent<unknown>): void => {
      if (typeof data !== 'object' || data === null || !('kind' in data) || data.kind !== 'notification') return;
      if ('path' in data && typeof data.path === 'string' && /^\/(?!\/)/.test(data.path)) then(data.path);
    };
    navigator.serviceWorker.addEventListener('message', hear);
    // Without this, what came before the page had loaded would wait for ever.
    navigator.serviceWorker.startMessages();
    return () => navigator.serviceWorker.removeEventListener('message', hear);
  },
};
