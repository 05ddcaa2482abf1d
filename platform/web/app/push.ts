import { pushkey, pushsubscribe, pushtest, pushunsubscribe } from '#platform/contract/push.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { createSerialQueue } from '#platform/contract/serialQueue.ts';
import { browserStorage } from '../browser/browserStorage.ts';
import { isSecureContext } from '../browser/secureContext.ts';
import { toSitePath } from '../browser/siteAddress.ts';
import { call } from './call.ts';
import { session } from './session.ts';

/**
 * Whether the server may notify this browser: `insecure` over plain HTTP; `unsupported` without Web Push; `blocked` by
 * the user; `off` and `on` for the current account.
 */
export type PushState = 'insecure' | 'unsupported' | 'blocked' | 'off' | 'on';

/** Notification that a page shows without the server. */
export interface PageNotification {
  readonly title: string;
  readonly body: string;
  readonly path: string;
  readonly tag: string;
}

const WORKER = toSitePath('/service-worker.js');

const isSupported = (): boolean => 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;

/** The browser has one subscription for all accounts. It belongs to the account that turned it on here. */
const getStorageKey = (): string => `push.${session.getCurrent()?.username ?? ''}`;
const isOnForAccount = (): boolean => browserStorage.get(getStorageKey()) === 'on';

const getRegistration = async (): Promise<ServiceWorkerRegistration | undefined> =>
  isSecureContext() && isSupported() ? navigator.serviceWorker.getRegistration(toSitePath('/')) : undefined;

const getSubscription = async (): Promise<PushSubscription | undefined> =>
  (await (await getRegistration())?.pushManager.getSubscription()) ?? undefined;

const encodeBase64Url = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** Subscribes with the key of this server. Replaces a subscription for another key, as after a new data folder. */
async function subscribe(): Promise<PushSubscription> {
  const { key } = await call(pushkey, {});
  const { pushManager } = await navigator.serviceWorker.ready;
  const existing = await pushManager.getSubscription();
  const existingKey = existing?.options.applicationServerKey;
  if (existing && existingKey && encodeBase64Url(existingKey) === key) return existing;
  await existing?.unsubscribe();
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
}

/** @throws {Refusal} that explains to the user why the browser did not subscribe. */
async function subscribeOrRefuse(): Promise<PushSubscription> {
  try {
    return await subscribe();
  } catch (cause) {
    if (!(cause instanceof DOMException)) throw cause;
    if (cause.name === 'NotAllowedError')
      throw new Refusal(
        'push.permission_denied',
        'This browser blocks notifications. Allow them for this site in its settings',
      );
    throw new Refusal('push.service_unreachable', 'This browser could not reach its push service. Try again later');
  }
}

async function sendSubscription(subscription: PushSubscription): Promise<void> {
  const { endpoint = '', keys } = subscription.toJSON();
  await call(pushsubscribe, { endpoint, keys: { p256dh: keys?.['p256dh'] ?? '', auth: keys?.['auth'] ?? '' } });
}

/** Runs tasks in order, so that the server ends with the newest state. */
const runInOrder = createSerialQueue();

export const push = {
  getState: async (): Promise<PushState> => {
    if (!isSecureContext()) return 'insecure';
    if (!isSupported()) return 'unsupported';
    if (Notification.permission === 'denied') return 'blocked';
    return Notification.permission === 'granted' && isOnForAccount() && (await getSubscription()) ? 'on' : 'off';
  },

  /**
   * Turns notifications on and returns the new state. Call it on a click, because browsers only ask then.
   * @throws {Refusal} if the browser or the server refuses.
   */
  switchOn: async (): Promise<PushState> => {
    if ((await Notification.requestPermission()) !== 'granted') return push.getState();
    return runInOrder(async () => {
      await navigator.serviceWorker.register(WORKER);
      await sendSubscription(await subscribeOrRefuse());
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

  /**
   * Subscribes again, because the server removes a subscription with the session that created it. Returns whether it is
   * on.
   */
  renew: (): Promise<boolean> =>
    runInOrder(async () => {
      if ((await push.getState()) !== 'on') return false;
      await sendSubscription(await subscribeOrRefuse());
      return true;
    }),

  /**
   * Makes the server notify this browser.
   * @throws {Refusal} if this browser is not subscribed.
   */
  sendTest: async (): Promise<void> => {
    const subscription = await getSubscription();
    if (!subscription)
      throw new Refusal(
        'push.not_subscribed',
        'This browser is no longer subscribed. Turn its notifications off and on again',
      );
    await call(pushtest, { endpoint: subscription.endpoint });
  },

  /** Shows a notification if the user allowed it. Returns whether it was shown. */
  show: async ({ title, body, path, tag }: PageNotification): Promise<boolean> => {
    const worker = await getRegistration();
    if (!worker?.active || Notification.permission !== 'granted') return false;
    await worker.showNotification(title, { body, tag, data: { path } });
    return true;
  },

  /** Listens for clicks on notifications while the page is open. Returns a function that stops it. */
  onClick: (listener: (path: string) => void): (() => void) => {
    if (!('serviceWorker' in navigator)) return () => undefined;
    function handleMessage({ data }: MessageEvent<unknown>): void {
      if (typeof data !== 'object' || data === null || !('kind' in data) || data.kind !== 'notification') return;
      if ('path' in data && typeof data.path === 'string' && /^\/(?!\/)/.test(data.path)) listener(data.path);
    }
    navigator.serviceWorker.addEventListener('message', handleMessage);
    // Deliver messages that arrived before the page had loaded.
    navigator.serviceWorker.startMessages();
    return () => navigator.serviceWorker.removeEventListener('message', handleMessage);
  },
};
