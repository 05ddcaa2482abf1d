import { describeBrowser } from '#platform/contract/browserName.ts';
import { browserBye, browserHello } from '#platform/contract/device.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Database } from '../database/database.ts';
import { writeUnlessFull } from '../storage/diskFullError.ts';
import { listen, type Listener } from '../tool.ts';
import type { Device, DeviceLink } from './deviceLink.ts';
import type { createDeviceStore } from './deviceStore.ts';
import type { Presence } from './presence.ts';

/** Days without use after which a browser is removed. */
export const MAX_UNUSED_DAYS = 90;
/** Private windows are new browsers at each visit, so the ones unused longest are removed first. */
export const MAX_BROWSERS_PER_ACCOUNT = 50;

export interface BrowserListenersDeps {
  readonly database: Database;
  readonly store: ReturnType<typeof createDeviceStore>;
  readonly presence: Presence;
  readonly now: () => Temporal.Instant;
  readonly add: DeviceLink['add'];
  readonly onRemoved: (device: Device) => void;
  readonly isRemoved: (deviceId: number) => boolean;
}

/** What a browser sends about itself. */
interface Introduction {
  readonly account: number;
  readonly key: string;
  /** The `User-Agent` header. */
  readonly userAgent: string;
}

/**
 * Creates the listeners for browsers with the messages page, which are devices for messages only
 * (docs/specification/devices.md section 3.3).
 */
export function createBrowserListeners(deps: BrowserListenersDeps): readonly Listener[] {
  const { database, store, presence, now, add, onRemoved, isRemoved } = deps;

  /** Lists browsers to remove: those unused for too long, and the ones over the limit with `newCount` more. */
  function listOutdated(browsers: readonly Device[], newCount: number): readonly Device[] {
    const minLastSeen = now().subtract({ hours: 24 * MAX_UNUSED_DAYS });
    const surplusCount = browsers.length + newCount - MAX_BROWSERS_PER_ACCOUNT;
    return browsers
      .filter(({ id }) => presence.getState(id) === 'Disconnected')
      .filter(
        ({ lastSeen, created }, index) =>
          index < surplusCount || Temporal.Instant.compare(lastSeen ?? created, minLastSeen) < 0,
      );
  }

  const addBrowser = ({ account, key, userAgent }: Introduction): Promise<Device> =>
    database.transaction(async ({ tx, afterCommit }) => {
      await store.lockNames(tx, account);
      // Two pages of one browser may introduce themselves concurrently.
      const existing = await store.findBrowser(account, key, tx);
      if (existing) return existing;
      for (const outdated of listOutdated(await store.listBrowsers(account, tx), 1)) {
        await store.remove(account, outdated.id, tx);
        afterCommit(() => onRemoved(outdated));
      }
      return add(tx, { account, kind: 'browser', name: describeBrowser(userAgent), browserKey: key });
    });

  /** Finds a returning browser, and removes the account's outdated ones. */
  async function findReturning({ account, key }: Introduction): Promise<Device | undefined> {
    const browserDevice = await store.findBrowser(account, key);
    if (browserDevice === undefined) return undefined;
    for (const outdated of listOutdated(await store.listBrowsers(account), 0)) {
      if (outdated.id === browserDevice.id) continue;
      await store.remove(account, outdated.id);
      onRemoved(outdated);
    }
    return browserDevice;
  }

  return [
    listen(browserHello, async ({ key }, { account, session, browser: userAgent }, connection) => {
      const introduction = { account, key, userAgent };
      const device = (await findReturning(introduction)) ?? (await addBrowser(introduction));
      await writeUnlessFull(() => store.markSeen(device, now()));
      if (isRemoved(device.id))
        throw new Refusal('device.browser_removed', 'This browser was just removed. Open the page again');
      presence.connect(device, session, connection);
      return { id: device.id, name: device.name };
    }),
    listen(browserBye, async (_data, _caller, connection) => {
      presence.disconnect(connection);
    }),
  ];
}
