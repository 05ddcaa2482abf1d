import { Refusal } from '#platform/contract/refusal.ts';
import type { Device } from '#platform/server/devices/deviceLink.ts';
import { handle, type ServerContext, type Handler } from '#platform/server/tool.ts';
import { changevideo, cwlt, forgetbroken, publishvideos, record, recordscreen, sendcapture } from '../contract.ts';
import { cleanTitle } from '../domain/recordingName.ts';
import type { Captures } from './captures.ts';
import { brokenName } from './galleryFiles.ts';
import type { GalleryStore } from './galleryStore.ts';
import type { listing } from './listing.ts';
import { removeVideo } from './videoFiles.ts';

const UNKNOWN = 'There is no such recording';

/** @throws Refusal at once for what the computer has said it cannot do. */
const checkAble = ({ kind, name, abilities: { capture } }: Device): void => {
  if (kind === 'browser') throw new Refusal(`${name} is a browser, it only takes messages`);
  if (capture && !capture.able) throw new Refusal(capture.reason ?? `${name} does not let its screen be recorded`);
};

interface CallsOptions {
  readonly ground: ServerContext;
  readonly store: GalleryStore;
  readonly list: ReturnType<typeof listing>;
  readonly captures: Captures;
  readonly changed: (account: number) => void;
}

export const calls = ({ ground, store, list, captures, changed }: CallsOptions): readonly Handler[] => {
  const { database, devices, files, identity } = ground;
  return [
    // A computer's token opens nothing of its account's.
    handle(cwlt, async (_, { account, device }) => list(device === undefined ? account : undefined)),
    handle(changevideo, async ({ file, title, remove }, { account }) => {
      if (title === undefined && !remove)
        throw new Refusal('Say what it is called from now on, or that it is to be deleted');
      await database.transaction(async ({ tx, afterCommit }) => {
        const isKnown = remove
          ? await store.remove(tx, account, file)
          : await store.rename(tx, account, file, cleanTitle(title ?? ''));
        if (!isKnown) throw new Refusal(UNKNOWN);
        afterCommit(() => changed(account));
      });
      if (remove) await removeVideo(files, file);
      return {};
    }),
    handle(publishvideos, async ({ files: which, public: isPublic }, { account }) => {
      await database.transaction(async ({ tx, afterCommit }) => {
        if (which === 'new') await store.setNewPublic(tx, account, isPublic);
        else if ((await store.publish(tx, account, [...new Set(which)], isPublic)) < new Set(which).size)
          throw new Refusal(UNKNOWN);
        afterCommit(() => changed(account));
      });
      return {};
    }),
    handle(forgetbroken, async ({ id }, { account }) => {
      const file = await database.transaction(async ({ tx, afterCommit }) => {
        const found = await store.forgetBroken(tx, account, id);
        if (found === undefined) throw new Refusal(UNKNOWN);
        afterCommit(() => changed(account));
        return found;
      });
      await files.remove(brokenName(account, file));
      return {};
    }),
    handle(sendcapture, async (part, { account, device }) => captures.take({ account, device }, part)),
    handle(recordscreen, async ({ target, to }, { account }) => {
      const device = await devices.getOwned(account, target);
      checkAble(device);
      await devices.send(device, record, { to, by: (await identity.findAccount(account))?.name ?? '' });
      return {};
    }),
  ];
};
