import { pushkey, pushsubscribe, pushtest, pushunsubscribe } from '#platform/contract/push.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { browserStorage } from '../browser/browserStorage.ts';
import { isSecureContext } from '../browser/secureContext.ts';
import { call } from './call.ts';
import { session } from './session.ts';

/**
 * Whether the server may notify this browser: `insecure`, the page came over plain http; `unsupported`, the browser has no Web Push;
 * `blocked`, its user said no; `off` and `on`, for the account that is signed in.
 */
export type PushState = 'insecure' | 'unsupported' | 'blocked' | 'off' | 'on';

/** What a page shows by itself, as the service worker shows what the server sends. */
export interface PageNotification {
  readonly title: string;
  readonly body: string;
  readonly path: string;
  readonly tag: string;
}

const WORKER = '/service-worker.js';

const isSupported = (): boolean => 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;

/** The browser has one subscription, whoever is signed in: it is the account's that switched it on here. */
const getStorageKey = (): string => `push.${session.getCurrent()?.username ?? ''}`;
const isOwn = (): boolean => browserStorage.get(getStorageKey()) === 'on';

const getRegistration = async (): Promise<ServiceWorkerRegistration | undefined> =>
  isSecureContext() && isSupported() ? navigator.serviceWorker.getRegistration('/') : undefined;

const getSubscription = async (): Promise<PushSubscription | undefined> =>
  (await (await getRegistration())?.pushManager.getSubscription()) ?? undefined;

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

const subscribeOrShowError = async (): Promise<PushSubscription> => {
  try {
    return await subscribe();
  } catch (cause) {
    if (!(cause instanceof DOMException)) throw cause;
    if (cause.name === 'NotAllowedError') throw new Refusal('This browser does not allow notifications');
    throw new Refusal("This browser could not reach its maker's service for notifications");
  }
};

const sendSubscription = async (subscription: PushSubscription): Promise<void> => {
  const { endpoint = '', keys } = subscription.toJSON();
  await call(pushsubscribe, { endpoint, keys: { p256dh: keys?.['p256dh'] ?? '', auth: keys?.['auth'] ?? '' } });
};

let queue: Promise<unknown> = Promise.resolve();
/** One after another: what is told last is what the server goes by. */
const runInOrder = <T>(act: () => Promise<T>): Promise<T> => {
  const done = queue.then(act);
  queue = done.catch(() => undefined);
  return done;
};

export const push = {
  getState: async (): Promise<PushState> => {
    if (!isSecureContext()) return 'insecure';
    if (!isSupported()) return 'unsupported';
    if (Notification.permission === 'denied') return 'blocked';
    return Notification.permission === 'granted' && isOwn() && (await getSubscription()) ? 'on' : 'off';
  },

  /** To be called by a click: browsers ask their user only then. Gives what came of it. @throws Refusal */
  switchOn: async (): Promise<PushState> => {
    if ((await Notification.requestPermission()) !== 'granted') return push.getState();
    return runInOrder(async () => {
      await navigator.serviceWorker.register(WORKER);
      await sendSubscription(await subscribeOrShowError());
      browserStorage.set(getStorageKey(), 'on');
      return push.getState();
    });
  },

  switchOff: (): Promise<PushState> =>
    runInOrder(async () => {
      const subscription = await getSubscription();
      browserStorage.set(getStorageKey(), 'off');
      if (subscription) {
        await call(pushunsubscribe, { endpoint: subscription.endpoint });
        await subscription.unsubscribe();
      }
      return push.getState();
    }),

  /** The server forgets a browser with the session that subscribed it: a page of the account tells it again. Gives whether it is on. */
  renew: (): Promise<boolean> =>
    runInOrder(async () => {
      if ((await push.getState()) !== 'on') return false;
      await sendSubscription(await subscribeOrShowError());
      return true;
    }),

  /** Has the server send this browser a notification. @throws Refusal */
  sendTest: async (): Promise<void> => {
    const subscription = await getSubscription();
    if (!subscription) throw new Refusal('This browser is not subscribed any more: switch its notifications on again');
    await call(pushtest, { endpoint: subscription.endpoint });
  },

  /** Shows a notification of the browser's where its user allowed it. Gives whether it does. */
  show: async ({ title, body, path, tag }: PageNotification): Promise<boolean> => {
    const worker = await getRegistration();
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
