import { constants, createWriteStream } from 'node:fs';
import { link, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { hasErrorCode } from './systemError.ts';

/** Whole, and on the disk, or not there. What is a link by now is not followed. */
const copy = async (from: string, to: string): Promise<void> => {
  const unfinished = join(dirname(to), `.${basename(to)}.part`);
  await using source = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW);
  // Of a server that ended in the middle.
  await rm(unfinished, { force: true });
  try {
    const sink = createWriteStream(unfinished, { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(source.createReadStream({ autoClose: false }), sink);
    await rename(unfinished, to);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
};

/** @returns whether it was done; not where the system says one of these. */
const unless = async (attempt: Promise<void>, ...codes: readonly string[]): Promise<boolean> => {
  try {
    await attempt;
    return true;
  } catch (error) {
    if (!codes.some((code) => hasErrorCode(error, code))) throw error;
    return false;
  }
};

/** Takes a file over, also from another disk: folders of the data folder may lie on several. */
export const moveFile = async (from: string, to: string): Promise<void> => {
  if (await unless(rename(from, to), 'EXDEV')) return;
  await copy(from, to);
  await rm(from).catch(async (error: unknown) => {
    await rm(to);
    throw error;
  });
};

/** The same file by another name; a copy of it where that is on another disk, or where the file is another user's, to whom Linux gives no second names. */
export const linkFile = async (from: string, to: string): Promise<void> => {
  if (!(await unless(link(from, to), 'EXDEV', 'EPERM'))) await copy(from, to);
};
