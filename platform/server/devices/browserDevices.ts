import { describeBrowser } from '#platform/contract/browserName.ts';
import { browserBye, browserHello } from '#platform/contract/device.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Database } from '../database/database.ts';
import { listen, type Listener } from '../tool.ts';
import type { Device, DeviceLink } from './deviceLink.ts';
import type { createDeviceStore } from './deviceStore.ts';
import type { Presence } from './presence.ts';

/** A browser that was not seen for so long is no device any more. */
export const MAX_UNUSED_DAYS = 90;
/** One that keeps nothing (a private window) is a new one at each visit: the longest unseen make room. */
export const MAX_BROWSERS_PER_ACCOUNT = 50;

export interface BrowserDeps {
  readonly database: Database;
  readonly store: ReturnType<typeof createDeviceStore>;
  readonly presence: Presence;
  readonly now: () => Temporal.Instant;
  readonly add: DeviceLink['add'];
  readonly onRemoved: (gone: Device) => void;
  readonly isRemoved: (device: number) => boolean;
}

interface Introduction {
  readonly account: number;
  readonly key: string;
  /** The `User-Agent` header. */
  readonly browser: string;
}

/** Browsers with the messages screen open are devices, for messages only (contract.md section 4). */
export function createBrowserListeners(ground: BrowserDeps): readonly Listener[] {
  const { database, store, presence, now, add, onRemoved, isRemoved } = ground;

  /** Those that nobody will miss: unused for long, or so many that a new one would be one too many. */
  const outdated = (browsers: readonly Device[], isOneMore: boolean): readonly Device[] => {
    const since = now().subtract({ hours: 24 * MAX_UNUSED_DAYS });
    const tooMany = browsers.length + (isOneMore ? 1 : 0) - MAX_BROWSERS_PER_ACCOUNT;
    return browsers
      .filter(({ id }) => presence.getState(id) === 'Disconnected')
      .filter(
        ({ lastSeen, created }, place) => place < tooMany || Temporal.Instant.compare(lastSeen ?? created, since) < 0,
      );
  };

  const make = ({ account, key, browser }: Introduction): Promise<Device> =>
    database.transaction(async ({ tx, afterCommit }) => {
      await store.lockNames(tx, account);
      // Two pages of one browser may have asked at once.
      const already = await store.findBrowser(account, key, tx);
      if (already) return already;
      for (const gone of outdated(await store.browsers(account, tx), true)) {
        await store.remove(account, gone.id, tx);
        afterCommit(() => onRemoved(gone));
      }
      return add(tx, { account, kind: 'browser', name: describeBrowser(browser), browserKey: key });
    });

  /** A browser that comes back sweeps the account's unused ones away. */
  const find = async ({ account, key }: Introduction): Promise<Device | undefined> => {
    const known = await store.findBrowser(account, key);
    if (known === undefined) return undefined;
    for (const gone of outdated(await store.browsers(account), false)) {
      if (gone.id === known.id) continue;
      await store.remove(account, gone.id);
      onRemoved(gone);
    }
    return known;
  };

  return [
    listen(browserHello, async ({ key }, { account, session, browser }, connection) => {
      const self = { account, key, browser };
      const device = (await find(self)) ?? (await make(self));
      await store.seen(device, now());
      if (isRemoved(device.id)) throw new Refusal('This browser was removed just now: open the page again');
      presence.connect(device, session, connection);
      return { id: device.id, name: device.name };
    }),
    listen(browserBye, async (_data, _caller, connection) => {
      presence.disconnect(connection);
      return {};
    }),
  ];
}
