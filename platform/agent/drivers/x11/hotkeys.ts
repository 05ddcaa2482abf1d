import { createSerialQueue } from '#platform/contract/serialQueue.ts';
import type { KeyChord, HotkeyListener } from '../drivers.ts';
import { formatChord } from '../keyChord.ts';
import { getCharacterByKeysym, isTerminalSwitch, KEYSYM, getKeysymByHotkey, getKeysymByKey } from '../keysyms.ts';
import { openDisplay } from './display.ts';
import { readLayout, type KeyboardState, type Layout, readKeyboard } from './keyboardLayout.ts';

/** A change of the keyboard map is announced by many events. */
const MAPPING_DEBOUNCE_MS = 30;
/** A key that another program uses may be free later. */
const RETRY_INTERVAL_MS = 30_000;
/** A MappingNotify about mouse buttons. */
const POINTER_BUTTONS = 2;
const ASYNC_MODE = 1;
const NO_OWNER_EVENTS = 0;
const CURRENT_TIME = 0;

const SHIFT_MASK = 1;
const LOCK_MASK = 2;
const CONTROL_MASK = 4;
/** Shift to Mod5; the higher bits are mouse buttons and the active layout. */
const ALL_MODIFIERS = 0xff;

/** The hotkeys of one X display. */
export interface XHotkeys extends AsyncDisposable {
  /** See `HotkeysDriver`. */
  readonly listen: (chords: readonly KeyChord[], listener: HotkeyListener) => void;
  /** Runs the task while no hotkey is listened for, as its key presses are meant for other programs. */
  readonly runWithout: <T>(task: () => Promise<T>) => Promise<T>;
}

/** What the X server must grab: a keycode with a mask of modifiers, without locks. */
interface KeyGrab {
  readonly keycode: number;
  readonly mask: number;
}
const formatGrab = ({ keycode, mask }: KeyGrab): string => `${keycode}/${mask}`;

/** Returns the mask of the modifier whose keys have this keysym; 0 if there is none. */
function getModifierMask({ modifiers, rows, minKeycode }: KeyboardState, keysym: number): number {
  const row = modifiers.findIndex((keycodes) =>
    keycodes.some((keycode) => keycode !== 0 && rows[keycode - minKeycode]?.includes(keysym)),
  );
  return row === -1 ? 0 : 1 << row;
}

/** Returns every combination of locks: a grab only matches the exact mask, so it would fail while a lock is on. */
function listLockMasks(state: KeyboardState): readonly number[] {
  const locks = new Set([LOCK_MASK, getModifierMask(state, KEYSYM.numLock), getModifierMask(state, KEYSYM.scrollLock)]);
  locks.delete(0);
  return [...locks].reduce<readonly number[]>((all, lock) => [...all, ...all.map((mask) => mask | lock)], [0]);
}

/** Finds the first key that types the character without modifiers, in the active layout or else in the other one. */
function findPlainKey({ rows, minKeycode, group }: KeyboardState, character: number): number | undefined {
  for (const column of group === 1 ? [2, 0] : [0, 2]) {
    const index = rows.findIndex((row) => getCharacterByKeysym(row[column] ?? 0) === character);
    if (index !== -1) return minKeycode + index;
  }
  return undefined;
}

/** Finds the keycode of a character, with the modifiers that the layout needs for it. */
function findCharacterKey(state: KeyboardState, layout: Layout, character: number): KeyGrab | undefined {
  const plainKey = findPlainKey(state, character);
  if (plainKey !== undefined) return { keycode: plainKey, mask: 0 };
  const stroke = layout.strokes.get(character);
  if (!stroke) return undefined;
  const level3 = stroke.level3 ? getModifierMask(state, KEYSYM.level3) : 0;
  return { keycode: stroke.keycode, mask: level3 | (stroke.shift ? SHIFT_MASK : 0) };
}

function findKey(state: KeyboardState, layout: Layout, key: string): KeyGrab | undefined {
  const keysym = getKeysymByHotkey(key);
  if (keysym === undefined) return undefined;
  const character = getCharacterByKeysym(keysym);
  if (character !== undefined) return findCharacterKey(state, layout, character);
  // Looks in every column, because the keypad's arrows share their keys with the digits, and Num Lock chooses.
  const keycode = layout.keys.get(keysym) ?? state.minKeycode + state.rows.findIndex((row) => row.includes(keysym));
  return keycode < state.minKeycode ? undefined : { keycode, mask: 0 };
}

function getMaskByName(state: KeyboardState, modifier: string): number {
  if (modifier === 'Shift') return SHIFT_MASK;
  if (modifier === 'Ctrl') return CONTROL_MASK;
  return getModifierMask(state, getKeysymByKey(modifier) ?? -1);
}

/** Returns the key grab for a chord, or a sentence that says why it can't be grabbed. */
function planGrab(state: KeyboardState, layout: Layout, chord: KeyChord): KeyGrab | string {
  if (isTerminalSwitch([...chord.modifiers, chord.key]))
    return `${formatChord(chord)} is reserved by the system of that computer. Choose other keys`;
  const keyGrab = findKey(state, layout, chord.key);
  if (!keyGrab) return `The keyboard of that computer has no key '${chord.key.slice(0, 20)}'. Choose another one`;
  const masks = chord.modifiers.map((modifier) => ({ modifier, mask: getMaskByName(state, modifier) }));
  const missing = masks.find(({ mask }) => mask === 0);
  if (missing) return `The keyboard of that computer has no key '${missing.modifier.slice(0, 20)}'. Choose another one`;
  return { keycode: keyGrab.keycode, mask: masks.reduce((all, { mask }) => all | mask, keyGrab.mask) };
}

interface GrabPlan {
  readonly locks: readonly number[];
  /** Grabs by `formatGrab`; `index` is the index of the chord. */
  readonly grabs: ReadonlyMap<string, KeyGrab & { readonly index: number }>;
  /** Chords without a key, or with the key of another chord. */
  readonly refused: ReadonlyMap<number, string>;
}

function createPlan(state: KeyboardState, chords: readonly KeyChord[]): GrabPlan {
  const layout = readLayout(state);
  const grabs = new Map<string, KeyGrab & { readonly index: number }>();
  const refused = new Map<number, string>();
  for (const [index, chord] of chords.entries()) {
    const grab = planGrab(state, layout, chord);
    if (typeof grab === 'string') {
      refused.set(index, grab);
      continue;
    }
    const other = chords[grabs.get(formatGrab(grab))?.index ?? -1];
    if (other)
      refused.set(
        index,
        `${formatChord(chord)} and ${formatChord(other)} are the same key on that computer. Change one of them`,
      );
    else grabs.set(formatGrab(grab), { ...grab, index });
  }
  return { locks: listLockMasks(state), grabs, refused };
}

const EMPTY_PLAN: GrabPlan = { locks: [], grabs: new Map(), refused: new Map() };
const isSamePlan = (one: GrabPlan, other: GrabPlan): boolean =>
  JSON.stringify([one.locks, [...one.grabs], [...one.refused]]) ===
  JSON.stringify([other.locks, [...other.grabs], [...other.refused]]);

/**
 * Opens hotkeys on a connection of their own.
 * @param name such as ':0'.
 * @throws if the display is missing.
 */
export async function openXHotkeys(name: string): Promise<XHotkeys> {
  const display = await openDisplay(name);
  const { x, root, request } = display;
  let chords: readonly KeyChord[] = [];
  let listener: HotkeyListener | undefined;
  let plan = EMPTY_PLAN;
  /** The grabs that the X server granted. */
  let granted = new Set<string>();
  let suspendCount = 0;
  let isClosed = false;
  const runInOrder = createSerialQueue();
  const timers: { mapping?: NodeJS.Timeout | undefined; retry?: NodeJS.Timeout | undefined } = {};

  /** Runs tasks in order. A failure means that the display is gone, which the opener of the display handles. */
  const enqueue = (task: () => Promise<void>): Promise<void> => runInOrder(task).catch(() => undefined);
  const waitForServer = (): Promise<unknown> => request<unknown>((done) => x.GetInputFocus(done));

  function ungrabAll(): void {
    for (const [key, { keycode, mask }] of plan.grabs)
      if (granted.has(key)) for (const lock of plan.locks) x.UngrabKey(root, keycode, mask | lock);
    granted = new Set();
  }
  /** Grabs a key under every combination of locks, or not at all. */
  async function grab({ keycode, mask }: KeyGrab): Promise<boolean> {
    const results = await Promise.allSettled(
      plan.locks.map((lock) =>
        request<unknown>((done) =>
          x.GrabKey(root, NO_OWNER_EVENTS, mask | lock, keycode, ASYNC_MODE, ASYNC_MODE, done),
        ),
      ),
    );
    const isOurs = results.every(({ status }) => status === 'fulfilled');
    if (!isOurs && !isClosed) for (const lock of plan.locks) x.UngrabKey(root, keycode, mask | lock);
    return isOurs;
  }
  async function grabAll(): Promise<void> {
    const grabs = [...plan.grabs];
    const results = await Promise.all(grabs.map(([, keyGrab]) => grab(keyGrab)));
    granted = new Set(grabs.flatMap(([key], index) => (results[index] ? [key] : [])));
    await waitForServer();
  }

  function reportStatus(): void {
    const refused = new Map(plan.refused);
    for (const [key, { index }] of plan.grabs) {
      const chord = chords[index];
      if (chord && !granted.has(key))
        refused.set(index, `Another program on that computer already uses ${formatChord(chord)}. Choose other keys`);
    }
    clearTimeout(timers.retry);
    if (granted.size < plan.grabs.size) timers.retry = setTimeout(() => void enqueue(regrabAll), RETRY_INTERVAL_MS);
    listener?.onStatus(refused);
  }
  /** Releases and grabs all keys again. */
  async function regrabAll(): Promise<void> {
    if (isClosed || suspendCount > 0) return;
    ungrabAll();
    await grabAll();
    reportStatus();
  }
  async function handleMappingChange(): Promise<void> {
    if (isClosed) return;
    const next = createPlan(await readKeyboard(display), chords);
    if (isSamePlan(next, plan)) return;
    ungrabAll();
    plan = next;
    await regrabAll();
  }

  /** The last released key. A held key repeats as a release and a press at the same time. */
  let released = { keycode: 0, time: -1 };
  display.onEvent((event) => {
    if (event.name === 'KeyRelease') released = event;
    if (event.name === 'MappingNotify' && event.request !== POINTER_BUTTONS)
      timers.mapping ??= setTimeout(() => {
        timers.mapping = undefined;
        void enqueue(handleMappingChange);
      }, MAPPING_DEBOUNCE_MS);
    if (event.name !== 'KeyPress' || suspendCount > 0) return;
    const locks = plan.locks.reduce((all, lock) => all | lock, 0);
    const match = plan.grabs.get(formatGrab({ keycode: event.keycode, mask: event.buttons & ALL_MODIFIERS & ~locks }));
    const isRepeated = released.keycode === event.keycode && released.time === event.time;
    if (match) listener?.onPress(match.index, isRepeated);
  });
  function close(): void {
    isClosed = true;
    clearTimeout(timers.mapping);
    clearTimeout(timers.retry);
  }
  display.onClosed(close);

  return {
    listen: (newChords, newListener) => {
      void enqueue(async () => {
        if (isClosed) return;
        ungrabAll();
        chords = newChords;
        listener = newListener;
        plan = createPlan(await readKeyboard(display), chords);
        await regrabAll();
      });
    },
    runWithout: async (task) => {
      if (plan.grabs.size === 0) return task();
      suspendCount += 1;
      try {
        await enqueue(async () => {
          if (isClosed) return;
          ungrabAll();
          // If a hotkey is held right now, its passive grab would send all keys to us until it is released.
          x.UngrabKeyboard(CURRENT_TIME);
          await waitForServer();
        });
        return await task();
      } finally {
        suspendCount -= 1;
        void enqueue(regrabAll);
      }
    },
    [Symbol.asyncDispose]: async () => {
      close();
      await enqueue(async () => undefined);
      await display[Symbol.asyncDispose]();
    },
  };
}
