import type { MacFrameworks } from './frameworks.ts';
import { getKeyCode, getModifier, KEYPAD_CODES, OPTION_BIT, SHIFT_BIT, translateUsKey } from './keyCodes.ts';

const KEY_COUNT = 128;
/** Levels of the layout, the simplest first. */
const LEVELS = [0, SHIFT_BIT, OPTION_BIT, OPTION_BIT | SHIFT_BIT] as const;
const COMMAND_LEVELS = [0, SHIFT_BIT] as const;
const COMMAND_BIT = 0x100;

const ACTION_DOWN = 0;
const NO_DEAD_KEYS = 1;
const MAX_UNITS = 8;
/** Layout changes arrive as messages, and each turn of the run loop handles one. */
const RUN_LOOP_TURNS = 5;

/** Returns what a key types while these modifiers are held; '' if nothing. */
export type TranslateKey = (code: number, carbonModifiers: number) => string;

/** A key, and the modifiers that it needs to type a character. */
export interface LayoutKey {
  readonly code: number;
  readonly carbonModifiers: number;
}

type LayoutTable = ReadonlyMap<string, LayoutKey>;

/** Lists the characters of a layout with the simplest way to type each, while `held` is held too. */
export function listLayoutKeys(translate: TranslateKey, levels: readonly number[], held = 0): LayoutTable {
  const keys = new Map<string, LayoutKey>();
  for (const level of levels)
    for (let code = 0; code < KEY_COUNT; code++) {
      const character = KEYPAD_CODES.has(code) ? '' : translate(code, level | held);
      if (/^[^\p{Cc}\p{Co}]$/u.test(character) && !keys.has(character))
        keys.set(character, { code, carbonModifiers: level });
    }
  return keys;
}

/** Finds the keys of shortcuts. */
export interface ShortcutLayout {
  /** @param isCommand whether the Command key is held: some layouts type other characters then. */
  readonly find: (character: string, isCommand: boolean) => LayoutKey | undefined;
}

/**
 * Creates the tables for shortcuts.
 * @param translations the user's layout, and those to use for characters that it lacks.
 */
export function createShortcutLayout(translations: readonly TranslateKey[]): ShortcutLayout {
  const tables = translations.map((translate) => ({
    plain: listLayoutKeys(translate, LEVELS),
    command: listLayoutKeys(translate, COMMAND_LEVELS, COMMAND_BIT),
  }));
  return {
    find: (character, isCommand) => {
      for (const { plain, command } of tables) {
        const key = (isCommand ? command.get(character) : undefined) ?? plain.get(character);
        if (key) return key;
      }
      return undefined;
    },
  };
}

/** Receives a change of the layout, which macOS reports in a run loop only. */
function handlePendingMessages({ foundation, defaultRunLoopMode }: MacFrameworks): void {
  for (let turn = 0; turn < RUN_LOOP_TURNS; turn++) foundation.CFRunLoopRunInMode(defaultRunLoopMode, 0, 1);
}

function createTranslation({ carbon }: MacFrameworks, layout: bigint): TranslateKey {
  const keyboardType = carbon.LMGetKbdType();
  const deadKeys = Buffer.alloc(4);
  const length = Buffer.alloc(8);
  const units = Buffer.alloc(MAX_UNITS * 2);
  return (code, carbonModifiers) => {
    deadKeys.fill(0);
    const status = carbon.UCKeyTranslate(
      layout,
      code,
      ACTION_DOWN,
      (carbonModifiers >> 8) & 0xff,
      keyboardType,
      NO_DEAD_KEYS,
      deadKeys,
      BigInt(MAX_UNITS),
      length,
      units,
    );
    return status === 0 ? units.toString('utf16le', 0, 2 * Number(length.readBigUInt64LE())) : '';
  };
}

/** Reads the layout that the user has chosen now. */
export function readShortcutLayout(frameworks: MacFrameworks): ShortcutLayout {
  const { carbon, foundation, layoutDataProperty } = frameworks;
  handlePendingMessages(frameworks);
  // A Greek or Russian layout has no Latin letters, so macOS names a layout that the user has for them.
  const sources = [
    carbon.TISCopyCurrentKeyboardLayoutInputSource(),
    carbon.TISCopyCurrentASCIICapableKeyboardLayoutInputSource(),
  ].filter((source) => source !== 0n);
  try {
    const layouts = sources
      .map((source) => carbon.TISGetInputSourceProperty(source, layoutDataProperty))
      .filter((data) => data !== 0n);
    return createShortcutLayout([
      ...layouts.map((data) => createTranslation(frameworks, foundation.CFDataGetBytePtr(data))),
      (code, carbonModifiers) => ((carbonModifiers & ~COMMAND_BIT) === 0 ? translateUsKey(code) : ''),
    ]);
  } finally {
    for (const source of sources) foundation.CFRelease(source);
  }
}

/** The name of the hyphen key, which separates keys in shortcuts. */
const MINUS_KEY = 'Minus';

/**
 * Finds a key by the product's name or as a character.
 * @param readLayout is called only if the key depends on the layout.
 * @returns undefined if no key of this keyboard has the name.
 */
export function findKey(key: string, keys: readonly string[], readLayout: () => ShortcutLayout): LayoutKey | undefined {
  const code = getKeyCode(key);
  if (code !== undefined) return { code, carbonModifiers: 0 };
  const character = key === MINUS_KEY ? '-' : key;
  if (Array.from(character).length !== 1) return undefined;
  const isCommand = keys.some((other) => getModifier(other)?.carbon === COMMAND_BIT);
  return readLayout().find(character, isCommand);
}
