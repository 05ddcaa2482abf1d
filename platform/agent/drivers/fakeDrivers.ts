import { writeFileSync } from 'node:fs';
import { Refusal } from '#platform/contract/refusal.ts';
import type {
  Ability,
  AudioGroup,
  AudioState,
  KeyChord,
  Drivers,
  HotkeyListener,
  MouseButton,
  OpenWindow,
  ScreenRegion,
  SoundUse,
} from './drivers.ts';

/** One thing that a fake computer was told to do. */
export type FakeAction =
  | { readonly kind: 'type'; readonly text: string }
  | { readonly kind: 'press'; readonly keys: readonly string[] }
  | { readonly kind: 'hold'; readonly modifiers: readonly string[] }
  | { readonly kind: 'move'; readonly dx: number; readonly dy: number }
  | { readonly kind: 'centre' }
  | { readonly kind: 'button'; readonly which: MouseButton; readonly down: boolean }
  | { readonly kind: 'wheel'; readonly dx: number; readonly dy: number }
  | { readonly kind: 'show'; readonly title: string; readonly text: string }
  | { readonly kind: 'ask'; readonly title: string; readonly text: string }
  | {
      readonly kind: 'level';
      readonly group: AudioGroup;
      readonly name: string;
      readonly level: number;
      readonly muted: boolean;
    }
  | { readonly kind: 'copy'; readonly text: string }
  | { readonly kind: 'record'; readonly region: ScreenRegion | undefined }
  | { readonly kind: 'recorded' }
  | { readonly kind: 'release' };

/**
 * How the fake computer behaves: `silent` takes everything and never comes to an end, `slowMs` takes that long,
 * `gone` refuses with that reason, `drops` cannot type these characters.
 */
export type FakeBehaviour =
  | 'well'
  | 'silent'
  | { readonly slowMs: number }
  | { readonly gone: string }
  | { readonly drops: readonly string[] };

export interface FakeDrivers extends Drivers {
  /** What was done, in order. */
  readonly acts: readonly FakeAction[];
  /** The texts typed, in order. */
  readonly typed: () => readonly string[];
  readonly behave: (how: FakeBehaviour) => void;
  /** The sound of the computer changes by itself. */
  readonly play: (state: AudioState) => void;
  /** Who plays and records changes by itself. */
  readonly use: (uses: readonly SoundUse[]) => void;
  /** The windows of the computer change by themselves; the first one has the focus, unless `active` is another one's id. */
  readonly showWindows: (open: readonly (OpenWindow & { readonly title?: string })[], active?: number) => void;
  /** Nobody has touched the computer for so long. */
  readonly idle: (ms: number) => void;
  /** The chords that are listened for. */
  readonly listensFor: () => readonly KeyChord[];
  /** The person at the computer presses the hotkey at this place of those; `isRepeated`: goes on holding it. */
  readonly pressHotkey: (at: number, isRepeated?: boolean) => void;
  /** Another program has the keys at these places. */
  readonly takeHotkeys: (refused: ReadonlyMap<number, string>) => void;
  /** A password field of the computer gets or loses the keyboard focus. */
  readonly focusPassword: (isFocused: boolean) => void;
  /** The person at the computer copies a text. */
  readonly copy: (text: string) => void;
  /** What is recorded of the screen from now on. */
  readonly film: (content: Uint8Array) => void;
  /** The recording that runs ends by itself, for this reason. */
  readonly cut: (reason: string) => void;
  /** From now on no recording ends when it is asked to: the computer is busy, until it is `cut`. */
  readonly dawdle: () => void;
  /** The person at the computer answers the question that stands there; undefined closes it. */
  readonly decide: (answer: boolean | undefined) => void;
  /** Waits until what was done looks like this. */
  readonly until: (holds: (acts: readonly FakeAction[]) => boolean) => Promise<void>;
}

/** A computer that writes down what it is told. */
export function createFakeDrivers(system = 'Fake computer'): FakeDrivers {
  const acts: FakeAction[] = [];
  const waiting = new Set<() => void>();
  let how: FakeBehaviour = 'well';
  let sound: AudioState = { sessions: [], outputs: [] };
  let copied = '';
  let isPasswordFocused = false;
  const passwordListeners: (() => void)[] = [];
  let decide: ((answer: boolean | undefined) => void) | undefined;
  const whenSound: ((state: AudioState) => void)[] = [];
  let uses: readonly SoundUse[] = [];
  const whenUsed: (() => void)[] = [];
  let windows: readonly (OpenWindow & { readonly title?: string })[] = [];
  let active: number | undefined;
  let idleMs = 0;
  const whenWindows: (() => void)[] = [];
  let chords: readonly KeyChord[] = [];
  let listener: HotkeyListener | undefined;
  let filmed: Uint8Array = new Uint8Array([1]);
  let cut: ((reason: string) => void) | undefined;
  let isBusy = false;
  const play = (state: AudioState): void => {
    sound = state;
    for (const then of whenSound) then(state);
  };

  const ability = (): Ability =>
    typeof how === 'object' && 'gone' in how ? { able: false, reason: how.gone } : { able: true };
  const record = (act: FakeAction): void => {
    acts.push(act);
    for (const look of waiting) look();
  };
  const act = async (what: FakeAction): Promise<void> => {
    const able = ability();
    if (!able.able) throw new Refusal(able.reason);
    record(what);
    if (how === 'silent') await new Promise<never>(() => undefined);
    if (typeof how === 'object' && 'slowMs' in how) {
      const { slowMs } = how;
      await new Promise((done) => setTimeout(done, slowMs));
    }
  };
  const releaseAll = (): Promise<void> => Promise.resolve(record({ kind: 'release' }));

  return {
    system,
    keyboard: {
      get ability() {
        return ability();
      },
      type: async (text) => {
        const unable = typeof how === 'object' && 'drops' in how ? how.drops : [];
        await act({
          kind: 'type',
          text: Array.from(text)
            .filter((character) => !unable.includes(character))
            .join(''),
        });
        return { dropped: Array.from(text).filter((character) => unable.includes(character)) };
      },
      press: (keys) => act({ kind: 'press', keys }),
      holdModifiers: (modifiers) => act({ kind: 'hold', modifiers }),
      releaseAll,
    },
    mouse: {
      get ability() {
        return ability();
      },
      move: (dx, dy) => record({ kind: 'move', dx, dy }),
      centre: () => record({ kind: 'centre' }),
      button: (which, down) => record({ kind: 'button', which, down }),
      wheel: (dx, dy) => record({ kind: 'wheel', dx, dy }),
      releaseAll,
    },
    notifications: {
      get ability() {
        return ability();
      },
      show: (title, text) => act({ kind: 'show', title, text }),
      confirm: async ({ title, text }) => {
        const decided = Promise.withResolvers<boolean | undefined>();
        decide = decided.resolve;
        await act({ kind: 'ask', title, text });
        return decided.promise;
      },
    },
    audio: {
      get ability() {
        return ability();
      },
      getState: () => sound,
      set: async (group, name, { level, muted }) => {
        if (!(level >= 0 && level <= 100)) return false;
        if (!ability().able || !sound[group].some((one) => one.name === name)) return false;
        record({ kind: 'level', group, name, level, muted });
        play({ ...sound, [group]: sound[group].map((one) => (one.name === name ? { ...one, level, muted } : one)) });
        return true;
      },
      onChange: (then) => void whenSound.push(then),
      listUses: () => uses,
      onUseChange: (then) => void whenUsed.push(then),
    },
    windows: {
      get ability() {
        return ability();
      },
      getActive: () => windows.find(({ id }) => id === active),
      listOpen: () => windows,
      onChange: (then) => void whenWindows.push(then),
      getTitle: (id) => Promise.resolve(windows.find((one) => one.id === id)?.title ?? ''),
      getIdleMs: () => Promise.resolve(idleMs),
    },
    hotkeys: {
      listen: (wished, hears) => {
        chords = wished;
        listener = hears;
        hears.onStatus(new Map());
      },
    },
    clipboard: {
      get ability() {
        return ability();
      },
      read: () => Promise.resolve(copied),
      write: async (text) => {
        await act({ kind: 'copy', text });
        copied = text;
      },
    },
    passwordFocus: {
      isFocused: () => isPasswordFocused,
      onChange: (then) => void passwordListeners.push(then),
    },
    capture: {
      get ability() {
        return ability();
      },
      start: async (path, region) => {
        await act({ kind: 'record', region });
        writeFileSync(path, filmed);
        const over = Promise.withResolvers<string | undefined>();
        cut = over.resolve;
        return {
          whenEnded: over.promise,
          stop: async () => {
            record({ kind: 'recorded' });
            if (!isBusy) over.resolve(undefined);
            await over.promise;
          },
        };
      },
    },
    film: (content) => {
      filmed = content;
    },
    cut: (reason) => cut?.(reason),
    dawdle: () => {
      isBusy = true;
    },
    play,
    use: (next) => {
      uses = next;
      for (const then of whenUsed) then();
    },
    showWindows: (open, focused = open[0]?.id) => {
      windows = open;
      active = focused;
      for (const then of whenWindows) then();
    },
    idle: (ms) => {
      idleMs = ms;
    },
    listensFor: () => chords,
    pressHotkey: (at, isRepeated = false) => listener?.onPress(at, isRepeated),
    takeHotkeys: (refused) => listener?.onStatus(refused),
    focusPassword: (isFocused) => {
      isPasswordFocused = isFocused;
      for (const then of passwordListeners) then();
    },
    copy: (text) => {
      copied = text;
    },
    decide: (answer) => decide?.(answer),
    acts,
    typed: () => acts.flatMap((one) => (one.kind === 'type' ? [one.text] : [])),
    behave: (next) => {
      how = next;
    },
    until: (holds) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!holds(acts)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    [Symbol.asyncDispose]: async () => undefined,
  };
}
