import { Refusal } from '#platform/contract/refusal.ts';
import { ACTIONS, type Hotkeys } from './category.ts';
import { readHotkey, type Hotkey } from './hotkeyNotation.ts';

export type HotkeyAction = keyof Hotkeys;

/** A category that has hotkeys, as they are written; '' is none. */
export interface HotkeyCategory extends Hotkeys {
  readonly name: string;
  readonly applications: readonly string[];
}

/** A key that acts on the applications of a category. */
export interface CategoryHotkey {
  readonly category: string;
  readonly applications: readonly string[];
  readonly action: HotkeyAction;
  readonly hotkey: Hotkey;
}

/** A key that cannot be had, and a sentence why. */
export interface RefusedHotkey {
  readonly category: string;
  readonly action: HotkeyAction;
  readonly reason: string;
}

export interface CategoryHotkeys {
  readonly hotkeys: readonly CategoryHotkey[];
  /** Those that are no keys. */
  readonly refused: readonly RefusedHotkey[];
}

const keyOrReason = (written: string): Hotkey | string => {
  try {
    return readHotkey(written);
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
};

/** All keys of the categories. */
export const categoryHotkeys = (categories: readonly HotkeyCategory[]): CategoryHotkeys => {
  const hotkeys: CategoryHotkey[] = [];
  const refused: RefusedHotkey[] = [];
  for (const { name: category, applications, ...keys } of categories) {
    for (const action of ACTIONS) {
      if (keys[action].trim() === '') continue;
      const hotkey = keyOrReason(keys[action]);
      if (typeof hotkey === 'string') refused.push({ category, action, reason: hotkey });
      else hotkeys.push({ category, applications, action, hotkey });
    }
  }
  return { hotkeys, refused };
};
