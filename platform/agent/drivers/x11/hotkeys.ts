import type { KeyChord, HotkeyListener } from '../drivers.ts';
import { openDisplay } from './display.ts';
import { readLayout, type KeyboardState, type Layout, readKeyboard } from './keyboardLayout.ts';
import { getCharacterByKeysym, isTerminalSwitch, KEYSYM, getKeysymByHotkey, getKeysymByKey } from './keysyms.ts';

/** A change of the keyboard's map comes as many notices. */
const DEBOUNCE_MS = 30;
/** What another program has may be free later. */
const RETRY_INTERVAL_MS = 30_000;
/** Of a MappingNotify that tells of the mouse's buttons. */
const BUTTONS = 2;
const ASYNC = 1;
const NO_OWNER_EVENTS = 0;
const NOW = 0;

const SHIFT_MASK = 1;
const LOCK_MASK = 2;
const CONTROL_MASK = 4;
/** Shift to Mod5; above them stand mouse buttons and the layout in use. */
const ALL_MODIFIERS = 0xff;

const NUM_LOCK = 0xff7f;
const SCROLL_LOCK = 0xff14;

/** Keys that this X display listens for. */
export interface XHotkeys extends AsyncDisposable {
  /** As `HotkeysDriver` has it. */
  readonly listen: (chords: readonly KeyChord[], listener: HotkeyListener) => void;
  /** None is listened for while the task runs: what it presses is meant for others. */
  readonly runWithout: <T>(task: () => Promise<T>) => Promise<T>;
}

/** What the X server is asked for: a keycode under a mask of modifiers, locks not counted. */
interface KeyGrab {
  readonly keycode: number;
  readonly mask: number;
}
const nameOf = ({ keycode, mask }: KeyGrab): string => `${keycode}/${mask}`;

/** How it is written for people: 'Ctrl-Alt-M'. */
export function formatChord({ modifiers, key }: KeyChord): string {
  return [...modifiers, modifiers.length > 0 && Array.from(key).length === 1 ? key.toUpperCase() : key].join('-');
}

/** The mask of the modifier whose keys have this keysym; 0 where none has. */
const maskOf = ({ modifiers, rows, minKeycode }: KeyboardState, keysym: number): number => {
  const row = modifiers.findIndex((keycodes) =>
    keycodes.some((keycode) => keycode !== 0 && rows[keycode - minKeycode]?.includes(keysym)),
  );
  return row === -1 ? 0 : 1 << row;
};

/** Every combination of the locks that may be on: without them a hotkey is deaf as soon as one is. */
const lockMasks = (state: KeyboardState): readonly number[] => {
  const locks = new Set([LOCK_MASK, maskOf(state, NUM_LOCK), maskOf(state, SCROLL_LOCK)]);
  locks.delete(0);
  return [...locks].reduce<readonly number[]>((all, lock) => [...all, ...all.map((mask) => mask | lock)], [0]);
};

/** The first key that types the character alone, in the layout in use or else in the other one. */
const keyOfCharacter = ({ rows, minKeycode, group }: KeyboardState, character: number): number | undefined => {
  for (const column of group === 1 ? [2, 0] : [0, 2]) {
    const at = rows.findIndex((row) => getCharacterByKeysym(row[column] ?? 0) === character);
    if (at !== -1) return minKeycode + at;
  }
  return undefined;
};

/** The keycode of a character, and the modifiers that the layout itself needs for it. */
const placeOfCharacter = (state: KeyboardState, layout: Layout, character: number): KeyGrab | undefined => {
  const plain = keyOfCharacter(state, character);
  if (plain !== undefined) return { keycode: plain, mask: 0 };
  const stroke = layout.strokes.get(character);
  if (!stroke) return undefined;
  const level3 = stroke.level3 ? maskOf(state, KEYSYM.level3) : 0;
  return { keycode: stroke.keycode, mask: level3 | (stroke.shift ? SHIFT_MASK : 0) };
};

const placeOf = (state: KeyboardState, layout: Layout, key: string): KeyGrab | undefined => {
  const keysym = getKeysymByHotkey(key);
  if (keysym === undefined) return undefined;
  const character = getCharacterByKeysym(keysym);
  if (character !== undefined) return placeOfCharacter(state, layout, character);
  // Anywhere on the key: the digits of the keypad stand beside its arrows, and Num Lock decides.
  const keycode = layout.keys.get(keysym) ?? state.minKeycode + state.rows.findIndex((row) => row.includes(keysym));
  return keycode < state.minKeycode ? undefined : { keycode, mask: 0 };
};

const modifierMask = (state: KeyboardState, modifier: string): number => {
  if (modifier === 'Shift') return SHIFT_MASK;
  if (modifier === 'Ctrl') return CONTROL_MASK;
  return maskOf(state, getKeysymByKey(modifier) ?? -1);
};

/** Where the chord lies on this keyboard; a sentence where it lies nowhere. */
const planOf = (state: KeyboardState, layout: Layout, chord: KeyChord): KeyGrab | string => {
  if (isTerminalSwitch([...chord.modifiers, chord.key]))
    return `${formatChord(chord)} belongs to that computer's system`;
  const place = placeOf(state, layout, chord.key);
  if (!place) return `That computer's keyboard has no key '${chord.key.slice(0, 20)}'`;
  const masks = chord.modifiers.map((modifier) => ({ modifier, mask: modifierMask(state, modifier) }));
  const missing = masks.find(({ mask }) => mask === 0);
  if (missing) return `That computer's keyboard has no key '${missing.modifier.slice(0, 20)}'`;
  return { keycode: place.keycode, mask: masks.reduce((all, { mask }) => all | mask, place.mask) };
};

interface GrabPlan {
  readonly locks: readonly number[];
  /** By `nameOf`: which chord it is. */
  readonly grabs: ReadonlyMap<string, KeyGrab & { readonly at: number }>;
  /** Chords that lie nowhere, or on another one's key. */
  readonly refused: ReadonlyMap<number, string>;
}

const planFor = (state: KeyboardState, chords: readonly KeyChord[]): GrabPlan => {
  const layout = readLayout(state);
  const grabs = new Map<string, KeyGrab & { readonly at: number }>();
  const refused = new Map<number, string>();
  for (const [at, chord] of chords.entries()) {
    const grab = planOf(state, layout, chord);
    if (typeof grab === 'string') {
      refused.set(at, grab);
      continue;
    }
    const other = chords[grabs.get(nameOf(grab))?.at ?? -1];
    if (other) refused.set(at, `${formatChord(chord)} and ${formatChord(other)} are one key on that computer`);
    else grabs.set(nameOf(grab), { ...grab, at });
  }
  return { locks: lockMasks(state), grabs, refused };
};

const NOTHING: GrabPlan = { locks: [], grabs: new Map(), refused: new Map() };
const isSamePlan = (one: GrabPlan, other: GrabPlan): boolean =>
  JSON.stringify([one.locks, [...one.grabs], [...one.refused]]) ===
  JSON.stringify([other.locks, [...other.grabs], [...other.refused]]);

/**
 * Listens on a connection of its own. @throws where there is no such display.
 * @param name such as ':0'
 */
export async function openXHotkeys(name: string): Promise<XHotkeys> {
  const display = await openDisplay(name);
  const { x, root, request } = display;
  let chords: readonly KeyChord[] = [];
  let listener: HotkeyListener | undefined;
  let plan = NOTHING;
  /** Names of the grabs that the X server gave us. */
  let held = new Set<string>();
  let holdOffs = 0;
  let isClosed = false;
  let last: Promise<unknown> = Promise.resolve();
  const timers: { settle?: NodeJS.Timeout | undefined; again?: NodeJS.Timeout | undefined } = {};

  /** One after another. What fails is that the display went away, and whoever opened it knows. */
  const queued = (task: () => Promise<void>): Promise<void> => {
    last = last.then(task).catch(() => undefined);
    return last as Promise<void>;
  };
  const reached = (): Promise<unknown> => request<unknown>((done) => x.GetInputFocus(done));

  const letGo = (): void => {
    for (const [one, { keycode, mask }] of plan.grabs)
      if (held.has(one)) for (const lock of plan.locks) x.UngrabKey(root, keycode, mask | lock);
    held = new Set();
  };
  /** Under every combination of locks, or not at all. */
  const grab = async ({ keycode, mask }: KeyGrab): Promise<boolean> => {
    const taken = await Promise.allSettled(
      plan.locks.map((lock) =>
        request<unknown>((done) => x.GrabKey(root, NO_OWNER_EVENTS, mask | lock, keycode, ASYNC, ASYNC, done)),
      ),
    );
    const isOurs = taken.every(({ status }) => status === 'fulfilled');
    if (!isOurs && !isClosed) for (const lock of plan.locks) x.UngrabKey(root, keycode, mask | lock);
    return isOurs;
  };
  const take = async (): Promise<void> => {
    const asked = [...plan.grabs];
    const taken = await Promise.all(asked.map(([, one]) => grab(one)));
    held = new Set(asked.flatMap(([one], at) => (taken[at] ? [one] : [])));
    await reached();
  };

  const tell = (): void => {
    const refused = new Map(plan.refused);
    for (const [one, { at }] of plan.grabs) {
      const chord = chords[at];
      if (chord && !held.has(one))
        refused.set(at, `Another program on that computer listens for ${formatChord(chord)} already`);
    }
    clearTimeout(timers.again);
    if (held.size < plan.grabs.size) timers.again = setTimeout(() => void queued(renew), RETRY_INTERVAL_MS);
    listener?.onStatus(refused);
  };
  /** Takes all that is wished for anew. */
  const renew = async (): Promise<void> => {
    if (isClosed || holdOffs > 0) return;
    letGo();
    await take();
    tell();
  };
  const look = async (): Promise<void> => {
    if (isClosed) return;
    const next = planFor(await readKeyboard(display), chords);
    if (isSamePlan(next, plan)) return;
    letGo();
    plan = next;
    await renew();
  };

  /** When which key was let go last: one that is held comes again and again, let go and pressed at the same moment. */
  let released = { keycode: 0, time: -1 };
  display.onEvent((event) => {
    if (event.name === 'KeyRelease') released = event;
    if (event.name === 'MappingNotify' && event.request !== BUTTONS)
      timers.settle ??= setTimeout(() => {
        timers.settle = undefined;
        void queued(look);
      }, DEBOUNCE_MS);
    if (event.name !== 'KeyPress' || holdOffs > 0) return;
    const locks = plan.locks.reduce((all, lock) => all | lock, 0);
    const found = plan.grabs.get(nameOf({ keycode: event.keycode, mask: event.buttons & ALL_MODIFIERS & ~locks }));
    const isRepeated = released.keycode === event.keycode && released.time === event.time;
    if (found) listener?.onPress(found.at, isRepeated);
  });
  const close = (): void => {
    isClosed = true;
    clearTimeout(timers.settle);
    clearTimeout(timers.again);
  };
  display.onClosed(close);

  return {
    listen: (wished, hears) => {
      void queued(async () => {
        if (isClosed) return;
        letGo();
        chords = wished;
        listener = hears;
        plan = planFor(await readKeyboard(display), chords);
        await renew();
      });
    },
    runWithout: async (task) => {
      if (plan.grabs.size === 0) return task();
      holdOffs += 1;
      try {
        await queued(async () => {
          if (isClosed) return;
          letGo();
          // Where one is held down just now, all keys would be ours until it is let go.
          x.UngrabKeyboard(NOW);
          await reached();
        });
        return await task();
      } finally {
        holdOffs -= 1;
        void queued(renew);
      }
    },
    [Symbol.asyncDispose]: async () => {
      close();
      await last;
      await display[Symbol.asyncDispose]();
    },
  };
}
