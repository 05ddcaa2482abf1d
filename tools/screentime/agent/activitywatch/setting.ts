import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { Refusal } from '#platform/contract/refusal.ts';
import { writeOwn } from '../agentFiles.ts';

/** What the owner of the computer has said of ActivityWatch's door. */
const setting = z.object({ isOn: z.boolean(), origins: z.array(z.string()) });
export type ActivityWatchSetting = z.output<typeof setting>;

const OFF: ActivityWatchSetting = { isOn: false, origins: [] };
const EXTENSION = /^(?:chrome-extension:\/\/[a-p]{32}|moz-extension:\/\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const EXTENSIONS_LIMIT = 20;

const FILE = 'activitywatch.json';

export const loadSetting = (folder: string): ActivityWatchSetting => {
  try {
    return setting.parse(JSON.parse(readFileSync(join(folder, FILE), 'utf8')));
  } catch {
    return OFF; // nothing was said yet, or nothing that can be read: it stays shut
  }
};

const save = (folder: string, next: ActivityWatchSetting): ActivityWatchSetting => {
  writeOwn(folder, FILE, next);
  return next;
};

/**
 * Does what `activitywatch on` or `off` says, with the browser extensions that are let in behind `on`; `off` lets them all out again.
 * @throws Refusal with what is wrong with it.
 */
export const changeSetting = (folder: string, [word, ...origins]: readonly string[]): ActivityWatchSetting => {
  if (word === 'off' && origins.length === 0) return save(folder, OFF);
  if (word !== 'on') throw new Refusal('Say `activitywatch on` or `activitywatch off`');
  const known = loadSetting(folder);
  const asked = origins.map((origin) => origin.toLowerCase().replace(/\/$/, ''));
  const strange = asked.find((origin) => !EXTENSION.test(origin));
  if (strange !== undefined)
    throw new Refusal(
      `'${strange.slice(0, 80)}' is no browser extension: those are called chrome-extension://… or moz-extension://…`,
    );
  const all = [...new Set([...known.origins, ...asked])];
  if (all.length > EXTENSIONS_LIMIT) throw new Refusal(`No more than ${EXTENSIONS_LIMIT} extensions are let in`);
  return save(folder, { isOn: true, origins: all });
};
