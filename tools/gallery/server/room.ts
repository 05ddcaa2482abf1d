import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '#platform/contract/refusal.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { brokenFolder, ownFolder } from './galleryFiles.ts';
import type { GalleryStore } from './galleryStore.ts';
import { settings } from './settings.ts';

const GIB = 1024 ** 3;

/** Of all plain files below a folder. */
const bytesIn = async (folder: string): Promise<number> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map(async ({ parentPath, name }) =>
      stat(join(parentPath, name)).then(
        ({ size }) => size,
        () => 0, // taken just now
      ),
    );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
};

export interface Room {
  /** @throws Refusal where an account has no room for so many bytes more. */
  readonly check: (account: number, bytes: number) => Promise<void>;
  /** Why its computers can hand in nothing more, and the remedy; empty where they can. */
  readonly hindrance: (account: number) => Promise<string>;
}

/** How much the recordings of one account may take: those of its gallery, what lies in its folder and is on its way, and what could not be read. */
export const createRoom = (
  { files, environment }: Pick<ServerContext, 'files' | 'environment'>,
  store: GalleryStore,
): Room => {
  const { GALLERY_QUOTA_GB } = settings.parse(environment);
  const quota = GALLERY_QUOTA_GB * GIB;
  const usedBy = async (account: number): Promise<number> => {
    const folders = [ownFolder(account), brokenFolder(account)].map((folder) => bytesIn(files.getPath(folder)));
    const sizes = await Promise.all([store.bytesOf(account), ...folders]);
    return sizes.reduce((sum, size) => sum + size, 0);
  };
  const sentence = (used: number): string =>
    `Your recordings take ${(used / GIB).toFixed(1)} of ${GALLERY_QUOTA_GB} GiB`;
  return {
    check: async (account, bytes) => {
      const used = await usedBy(account);
      if (used + bytes > quota)
        throw new Refusal(`${sentence(used)}, and there is no room for this one: delete some first`);
    },
    hindrance: async (account) => {
      const used = await usedBy(account);
      return used < quota ? '' : `${sentence(used)}: your computers keep new ones until you have deleted some`;
    },
  };
};
