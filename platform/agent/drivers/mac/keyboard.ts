import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '#platform/contract/refusal.ts';
import { createSerialQueue } from '#platform/contract/serialQueue.ts';
import type { Ability, KeyboardDriver, TypeResult } from '../drivers.ts';
import type { HeldInput, HeldInputs } from '../heldInputs.ts';
import { createNoSuchKeyRefusal, FOCUS_MOVED_MESSAGE, SHORTCUT_HOLD_MS } from '../typing.ts';
import type { EventPoster } from './events.ts';
import { findKey, type LayoutKey, type ShortcutLayout } from './keyboardLayout.ts';
import { getKeyCode, getMediaKey, getModifier, toEventFlags, type MacModifier } from './keyCodes.ts';
import { splitText } from './textParts.ts';

/** Programs lose events that follow each other without a pause. */
const EVENT_DELAY_MS = 2;
const PARTS_PER_FOCUS_CHECK = 10;
/** Only the real keyboard can change their state. A Mac has no Scroll Lock: that key is F14. */
const UNSENDABLE_LOCK_KEYS: ReadonlySet<string> = new Set(['CapsLock', 'NumLock']);

export interface MacKeyboardOptions {
  readonly poster: EventPoster;
  readonly heldInputs: HeldInputs;
  readonly getAbility: () => Ability;
  readonly readLayout: () => ShortcutLayout;
  /** Returns the process that gets the keys; undefined if it is unknown. */
  readonly getFrontPid: () => number | undefined;
}

export interface MacKeyboard extends KeyboardDriver {
  /** Returns the flags of the modifiers that are held for the mouse. */
  readonly getHeldFlags: () => bigint;
}

/** @throws Refusal if macOS would drop the events. */
export function requireControl(ability: Ability): void {
  if (!ability.able) throw new Refusal('device.unsupported', ability.reason);
}

const toHeldInputs = (keys: readonly Pick<LayoutKey, 'code'>[]): readonly HeldInput[] =>
  keys.map(({ code }): HeldInput => `k${code}`);

const joinFlags = (modifiers: readonly MacModifier[]): bigint =>
  modifiers.reduce((flags, { flag }) => flags | flag, 0n);

/** Creates the keyboard. Text is inserted as strings; shortcuts are keys of the user's layout. */
export function createMacKeyboard(options: MacKeyboardOptions): MacKeyboard {
  const { poster, heldInputs, getAbility, readLayout, getFrontPid } = options;
  const enqueue = createSerialQueue();

  let heldModifiers: readonly MacModifier[] = [];
  function releaseHeld(): void {
    const held = heldModifiers;
    if (held.length === 0) return;
    heldModifiers = [];
    for (let index = held.length - 1; index >= 0; index--)
      poster.postKey(held[index]?.code ?? 0, false, joinFlags(held.slice(0, index)));
    heldInputs.remove(toHeldInputs(held));
  }
  function pressModifiers(modifiers: readonly MacModifier[]): void {
    heldInputs.add(toHeldInputs(modifiers));
    heldModifiers = modifiers;
    for (const [index, { code }] of modifiers.entries())
      poster.postKey(code, true, joinFlags(modifiers.slice(0, index + 1)));
  }

  async function type(text: string, onProgress: () => void): Promise<TypeResult> {
    requireControl(getAbility());
    releaseHeld();
    const frontPid = getFrontPid();
    const { parts, dropped } = splitText(text);
    for (const [index, part] of parts.entries()) {
      if (part.kind === 'string') poster.postString(part.text);
      else for (const down of [true, false]) poster.postKey(getKeyCode(part.key) ?? 0, down, 0n);
      await sleep(EVENT_DELAY_MS);
      if (index % PARTS_PER_FOCUS_CHECK !== PARTS_PER_FOCUS_CHECK - 1) continue;
      if (getFrontPid() !== frontPid) throw new Refusal('device.focus_moved', FOCUS_MOVED_MESSAGE);
      onProgress();
    }
    onProgress();
    return { dropped };
  }

  /** Presses the keys that are no modifiers while the modifiers are held. */
  async function pressKeys(modifiers: readonly MacModifier[], keys: readonly LayoutKey[]): Promise<void> {
    const flags = joinFlags(modifiers);
    const getFlags = ({ carbonModifiers }: LayoutKey): bigint => flags | toEventFlags(carbonModifiers);
    pressModifiers(modifiers);
    try {
      heldInputs.add(toHeldInputs(keys));
      for (const key of keys) poster.postKey(key.code, true, getFlags(key));
      await sleep(SHORTCUT_HOLD_MS);
    } finally {
      for (const key of keys.toReversed()) poster.postKey(key.code, false, getFlags(key));
      heldInputs.remove(toHeldInputs(keys));
      releaseHeld();
    }
  }
  async function press(keys: readonly string[]): Promise<void> {
    requireControl(getAbility());
    const locked = keys.find((key) => UNSENDABLE_LOCK_KEYS.has(key));
    if (locked !== undefined)
      throw new Refusal('device.reserved_shortcut', `${keys.join('-')} can't be sent to a Mac. Choose other keys`);
    releaseHeld();
    const mediaKeys = keys.map(getMediaKey).filter((key) => key !== undefined);
    let layout: ShortcutLayout | undefined;
    const layoutKeys = keys
      .filter((key) => getModifier(key) === undefined && getMediaKey(key) === undefined)
      .map((key) => {
        const found = findKey(key, keys, () => (layout ??= readLayout()));
        if (!found) throw createNoSuchKeyRefusal(key);
        return found;
      });
    const modifiers = keys.map(getModifier).filter((modifier) => modifier !== undefined);
    for (const mediaKey of mediaKeys) poster.postMediaKey(mediaKey);
    if (modifiers.length + layoutKeys.length > 0) await pressKeys(modifiers, layoutKeys);
  }

  async function holdModifiers(names: readonly string[]): Promise<void> {
    releaseHeld();
    const modifiers = names.map(getModifier).filter((modifier) => modifier !== undefined);
    if (modifiers.length === 0) return;
    requireControl(getAbility());
    pressModifiers(modifiers);
  }

  return {
    get ability() {
      return getAbility();
    },
    type: (text, onProgress = () => undefined) => enqueue(() => type(text, onProgress)),
    press: (keys) => enqueue(() => press(keys)),
    holdModifiers: (modifiers) => enqueue(() => holdModifiers(modifiers)),
    releaseAll: () => enqueue(async () => releaseHeld()),
    getHeldFlags: () => joinFlags(heldModifiers),
  };
}
