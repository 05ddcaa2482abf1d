import { Refusal } from '#platform/contract/refusal.ts';
import { piecesOf } from '#platform/server/database/pieces.ts';
import type { Ground } from '#platform/server/tool.ts';
import { focusWatched, type WatchedEvent, type WatchedFocus, type WatchedWindow } from '../domain/awImport.ts';
import { reaching, type Stretch } from '../domain/record.ts';
import type { Span } from '../domain/segment.ts';
import { keptName, type ApplicationIds } from './applications.ts';
import type { UsageChanges } from './changes.ts';
import type { Recording } from './recording.ts';
import type { UsageStore } from './store/usage.ts';

/** Events of one transaction: others' writes come in between. */
const AT_ONCE = 200;

interface Imported {
  readonly account: number;
  readonly hostname: string;
  readonly window: readonly WatchedWindow[];
  readonly away: readonly WatchedEvent[];
}

interface ImportingOptions {
  readonly ground: Pick<Ground, 'database' | 'identity' | 'devices' | 'now'>;
  readonly store: UsageStore;
  readonly recording: Recording;
  readonly ids: ApplicationIds;
  readonly changes: UsageChanges;
  readonly onNewApplications: (account: number) => void;
}

interface Named extends WatchedFocus {
  readonly name: string;
}

/** Takes in what ActivityWatch has recorded. What is there already stays as it is, so that the same file may come twice. */
export const makeImporting = (options: ImportingOptions) => {
  const { store, recording, ids, changes, onNewApplications } = options;
  const { database, identity, devices, now } = options.ground;

  /** The computer that it was recorded on; made where it is not there. It has no token: nothing connects as it. */
  const computer = async (account: number, hostname: string, zone: string): Promise<number> =>
    database.transaction(async ({ tx }) => {
      await store.book.raise(tx, account, zone);
      const known = (await store.devices.list(account, tx)).find((one) => one.hostname === hostname);
      if (known) return known.id;
      const { id, name } = await devices.add(tx, {
        account,
        kind: 'computer',
        name: hostname,
        system: 'ActivityWatch',
      });
      await store.devices.keep(tx, account, { id, name, hostname });
      return id;
    });

  /** @returns how many of them brought anything new. */
  const write = async (
    { account, device, zone }: { readonly account: number; readonly device: number; readonly zone: string },
    events: readonly Named[],
  ): Promise<number> =>
    database.transaction(async ({ tx, afterCommit }) => {
      const book = await store.book.raise(tx, account, zone);
      const time = now().epochMilliseconds;
      const known = await ids.of(tx, account, { names: events.map(({ name }) => name), now: time });
      const identified = events.map(({ name, parts }) => {
        const application = known.ids.get(name);
        return application === undefined ? [] : parts.map((part): Stretch => ({ application, ...part }));
      });
      const all = identified.flat();
      const taken = await recording.record({ tx, device, book }, all, (record) =>
        identified
          .map((stretches) => stretches.reduce((seconds, stretch) => seconds + (record.put(stretch) ?? 0), 0))
          .filter((seconds) => seconds > 0),
      );
      const extent = all.reduce<Span | undefined>(reaching, undefined);
      afterCommit(() => {
        known.keep();
        if (known.made) onNewApplications(account);
        if (taken.length > 0 && extent) changes.tell({ account, device, ...extent });
      });
      return taken.length;
    });

  /** @throws Refusal for a computer without a name. */
  return async ({ account, hostname, window, away }: Imported) => {
    const host = keptName(hostname);
    if (host === undefined) throw new Refusal('hostname is empty: name the computer that it was recorded on');
    const zone = await identity.zone(account);
    const device = await computer(account, host, zone);
    const focus = focusWatched(window, away, Math.floor(now().epochMilliseconds / 1000)).flatMap((one): Named[] => {
      const name = keptName(one.app);
      return name === undefined || one.parts.length === 0 ? [] : [{ ...one, name }];
    });
    let taken = 0;
    for (const events of piecesOf(focus, AT_ONCE)) taken += await write({ account, device, zone }, events);
    return { taken, skipped: window.length - taken };
  };
};
