import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { AccountData } from '#platform/agent/pairedAccount.ts';
import { waitingIn } from './usageSpool.ts';

/** Of `usage.json` and `activitywatch.json` nothing is here: they say what the person at the computer wants, whosoever's it is. */
const isOfAccount = (name: string): boolean =>
  name.startsWith('usage.db') || name.startsWith('usage.alive') || name.startsWith('hotkeys.json');

/** What was measured, and the last hotkeys. */
export const screentimeKeep: AccountData = {
  listUnsent: (stateDir) => {
    const pieces = waitingIn(stateDir);
    return pieces > 0 ? [`${pieces} ${pieces === 1 ? 'piece' : 'pieces'} of use`] : [];
  },
  remove: (stateDir) => {
    for (const name of readdirSync(stateDir).filter(isOfAccount)) rmSync(join(stateDir, name), { force: true });
  },
};
