import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askHotkeys } from '../contract.ts';
import type { HotkeyCategory } from '../domain/hotkeys.ts';

/** The last hotkeys that the server told, so that they work before it answers, and without it. */
export interface KeptHotkeys {
  readonly load: () => readonly HotkeyCategory[];
  readonly save: (categories: readonly HotkeyCategory[]) => void;
}

/** In `hotkeys.json` of that folder. */
export const keepHotkeysIn = (folder: string): KeptHotkeys => {
  const path = join(folder, 'hotkeys.json');
  return {
    load: () => {
      try {
        return askHotkeys.answer.parse(JSON.parse(readFileSync(path, 'utf8'))).categories;
      } catch {
        return []; // none yet, or one that is none of ours: the server tells them again
      }
    },
    save: (categories) => {
      writeFileSync(`${path}.part`, `${JSON.stringify({ categories })}\n`, { mode: 0o600 });
      renameSync(`${path}.part`, path);
    },
  };
};
