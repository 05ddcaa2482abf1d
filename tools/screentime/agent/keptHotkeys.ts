import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { askHotkeys } from '../contract.ts';
import type { HotkeyCategory } from '../sorting/domain/categoryHotkeys.ts';
import { writeOwn } from './agentFiles.ts';

const FILE = 'hotkeys.json';

/** The last hotkeys that the server told, so that they work before it answers, and without it. */
export interface KeptHotkeys {
  readonly load: () => readonly HotkeyCategory[];
  readonly save: (categories: readonly HotkeyCategory[]) => void;
}

export const keepHotkeysIn = (folder: string): KeptHotkeys => ({
  load: () => {
    try {
      return askHotkeys.answer.parse(JSON.parse(readFileSync(join(folder, FILE), 'utf8'))).categories;
    } catch {
      return []; // none yet, or one that is none of ours: the server tells them again
    }
  },
  save: (categories) => writeOwn(folder, FILE, { categories }),
});
