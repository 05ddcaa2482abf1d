import { Refusal } from '#platform/contract/refusal.ts';
import { HOTKEY_ACTIONS, type Hotkeys } from './category.ts';
import { parseHotkey, type Hotkey } from './hotkeyNotation.ts';

/** Percentage points per press. */
export const VOLUME_STEP = 5;

export interface SoundVolume {
  /** From 0 to 100. */
  readonly level: number;
  readonly muted: boolean;
}

/** Returns the sounds after a press. Mute silences all, or unmutes all if all are silent; louder also unmutes. */
export function applyAction<S extends SoundVolume>(action: HotkeyAction, sounds: readonly S[]): readonly S[] {
  const isSilent = sounds.every(({ muted }) => muted);
  return sounds.map((sound) => {
    if (action === 'mute') return { ...sound, muted: !isSilent };
    const step = action === 'up' ? VOLUME_STEP : -VOLUME_STEP;
    const level = Math.min(100, Math.max(0, sound.level + step));
    return { ...sound, level, muted: action === 'up' ? false : sound.muted };
  });
}

export type HotkeyAction = keyof Hotkeys;

/** A category with hotkeys, as written; '' without one. */
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

/** A key that can't be registered, with a sentence that says why. */
export interface RefusedHotkey {
  readonly category: string;
  readonly action: HotkeyAction;
  readonly reason: string;
}

export interface ParsedHotkeys {
  readonly hotkeys: readonly CategoryHotkey[];
  /** Hotkeys that are invalid. */
  readonly refused: readonly RefusedHotkey[];
}

function parseOrExplain(text: string): Hotkey | string {
  try {
    return parseHotkey(text);
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

export function parseCategoryHotkeys(categories: readonly HotkeyCategory[]): ParsedHotkeys {
  const hotkeys: CategoryHotkey[] = [];
  const refused: RefusedHotkey[] = [];
  for (const { name: category, applications, ...keys } of categories) {
    for (const action of HOTKEY_ACTIONS) {
      if (keys[action].trim() === '') continue;
      const hotkey = parseOrExplain(keys[action]);
      if (typeof hotkey === 'string') refused.push({ category, action, reason: hotkey });
      else hotkeys.push({ category, applications, action, hotkey });
    }
  }
  return { hotkeys, refused };
}
