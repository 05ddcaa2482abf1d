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

/** One thing that a fake computer did. */
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
 * How the fake computer behaves: `silent` accepts everything and never finishes, `slowMs` takes that long, `gone`
 * refuses with that reason, `drops` can't type these characters.
 */
export type FakeBehaviour =
  | 'well'
  | 'silent'
  | { readonly slowMs: number }
  | { readonly gone: string }
  | { readonly drops: readonly string[] };

export interface FakeDrivers extends Drivers {
  /** Recorded actions, in order. */
  readonly actions: readonly FakeAction[];
  /** Returns the typed texts, in order. */
  readonly listTypedTexts: () => readonly string[];
  readonly behave: (behaviour: FakeBehaviour) => void;
  /** Simulates a change of the sound that the agent did not cause. */
  readonly play: (state: AudioState) => void;
  /** Simulates a change of the streams that play or record. */
  readonly setSoundUses: (uses: readonly SoundUse[]) => void;
  /** Simulates the open windows. The first one has the focus, unless `active` is the id of another one. */
  readonly showWindows: (open: readonly (OpenWindow & { readonly title?: string })[], active?: number) => void;
  /** Sets how long the computer has not been used. */
  readonly setIdleMs: (ms: number) => void;
  /** Returns the chords that the agent listens for. */
  readonly listChords: () => readonly KeyChord[];
  /** Simulates a press of the hotkey with this index; `isRepeated` means that it is still held. */
  readonly pressHotkey: (index: number, isRepeated?: boolean) => void;
  /** Simulates another program that uses the hotkeys with these indices. */
  readonly refuseHotkeys: (refused: ReadonlyMap<number, string>) => void;
  /** Simulates a password field that gets or loses the keyboard focus. */
  readonly focusPassword: (isFocused: boolean) => void;
  /** Simulates the person at the computer copying a text. */
  readonly copy: (text: string) => void;
  /** Sets the content of later recordings. */
  readonly setRecordedContent: (content: Uint8Array) => void;
  /** Ends the running recording for this reason. */
  readonly endRecording: (reason: string) => void;
  /** Makes recordings ignore `stop`, as on a busy computer, until `endRecording` is called. */
  readonly ignoreStop: () => void;
  /** Answers the open question like the person at the computer; undefined closes it. */
  readonly answerPrompt: (answer: boolean | undefined) => void;
  /** Waits until the recorded actions fulfil the condition. */
  readonly waitForActions: (isFulfilled: (actions: readonly FakeAction[]) => boolean) => Promise<void>;
}

/** Creates a fake computer that records its commands. */
export function createFakeDrivers(system = 'Fake computer'): FakeDrivers {
  const actions: FakeAction[] = [];
  const pendingChecks = new Set<() => void>();
  let behaviour: FakeBehaviour = 'well';
  let sound: AudioState = { sessions: [], outputs: [] };
  let clipboardText = '';
  let isPasswordFocused = false;
  const passwordListeners: (() => void)[] = [];
  let answerPrompt: ((answer: boolean | undefined) => void) | undefined;
  const soundListeners: ((state: AudioState) => void)[] = [];
  let uses: readonly SoundUse[] = [];
  const useListeners: (() => void)[] = [];
  let windows: readonly (OpenWindow & { readonly title?: string })[] = [];
  let active: number | undefined;
  let idleMs = 0;
  const windowListeners: (() => void)[] = [];
  let chords: readonly KeyChord[] = [];
  let listener: HotkeyListener | undefined;
  let recordedContent: Uint8Array = new Uint8Array([1]);
  let endRecording: ((reason: string) => void) | undefined;
  let ignoresStop = false;
  function play(state: AudioState): void {
    sound = state;
    for (const soundListener of soundListeners) soundListener(state);
  }

  const getAbility = (): Ability =>
    typeof behaviour === 'object' && 'gone' in behaviour ? { able: false, reason: behaviour.gone } : { able: true };
  function record(action: FakeAction): void {
    actions.push(action);
    for (const check of pendingChecks) check();
  }
  async function perform(action: FakeAction): Promise<void> {
    const currentAbility = getAbility();
    if (!currentAbility.able) throw new Refusal('device.unsupported', currentAbility.reason);
    record(action);
    if (behaviour === 'silent') await new Promise<never>(() => undefined);
    if (typeof behaviour === 'object' && 'slowMs' in behaviour) {
      const { slowMs } = behaviour;
      await new Promise((done) => setTimeout(done, slowMs));
    }
  }
  const releaseAll = (): Promise<void> => Promise.resolve(record({ kind: 'release' }));

  return {
    system,
    keyboard: {
      get ability() {
        return getAbility();
      },
      type: async (text) => {
        const untypable = typeof behaviour === 'object' && 'drops' in behaviour ? behaviour.drops : [];
        await perform({
          kind: 'type',
          text: Array.from(text)
            .filter((character) => !untypable.includes(character))
            .join(''),
        });
        return { dropped: Array.from(text).filter((character) => untypable.includes(character)) };
      },
      press: (keys) => perform({ kind: 'press', keys }),
      holdModifiers: (modifiers) => perform({ kind: 'hold', modifiers }),
      releaseAll,
    },
    mouse: {
      get ability() {
        return getAbility();
      },
      move: (dx, dy) => record({ kind: 'move', dx, dy }),
      centre: () => record({ kind: 'centre' }),
      button: (which, down) => record({ kind: 'button', which, down }),
      wheel: (dx, dy) => record({ kind: 'wheel', dx, dy }),
      releaseAll,
    },
    notifications: {
      get ability() {
        return getAbility();
      },
      show: (title, text) => perform({ kind: 'show', title, text }),
      confirm: async ({ title, text }) => {
        const decision = Promise.withResolvers<boolean | undefined>();
        answerPrompt = decision.resolve;
        await perform({ kind: 'ask', title, text });
        return decision.promise;
      },
    },
    audio: {
      get ability() {
        return getAbility();
      },
      getState: () => sound,
      set: async (group, name, { level, muted }) => {
        if (!(level >= 0 && level <= 100)) return false;
        if (!getAbility().able || !sound[group].some((one) => one.name === name)) return false;
        record({ kind: 'level', group, name, level, muted });
        play({ ...sound, [group]: sound[group].map((one) => (one.name === name ? { ...one, level, muted } : one)) });
        return true;
      },
      onChange: (soundListener) => void soundListeners.push(soundListener),
      listUses: () => uses,
      onUseChange: (useListener) => void useListeners.push(useListener),
    },
    windows: {
      get ability() {
        return getAbility();
      },
      getActive: () => windows.find(({ id }) => id === active),
      listOpen: () => windows,
      onChange: (windowListener) => void windowListeners.push(windowListener),
      getTitle: (id) => Promise.resolve(windows.find((one) => one.id === id)?.title ?? ''),
      getIdleMs: () => Promise.resolve(idleMs),
    },
    hotkeys: {
      listen: (newChords, newListener) => {
        chords = newChords;
        listener = newListener;
        newListener.onStatus(new Map());
      },
    },
    clipboard: {
      get ability() {
        return getAbility();
      },
      read: () => Promise.resolve(clipboardText),
      write: async (text) => {
        await perform({ kind: 'copy', text });
        clipboardText = text;
      },
    },
    passwordFocus: {
      isFocused: () => isPasswordFocused,
      onChange: (passwordListener) => void passwordListeners.push(passwordListener),
    },
    capture: {
      get ability() {
        return getAbility();
      },
      start: async (path, region) => {
        await perform({ kind: 'record', region });
        writeFileSync(path, recordedContent);
        const end = Promise.withResolvers<string | undefined>();
        endRecording = end.resolve;
        return {
          whenEnded: end.promise,
          stop: async () => {
            record({ kind: 'recorded' });
            if (!ignoresStop) end.resolve(undefined);
            await end.promise;
          },
        };
      },
    },
    setRecordedContent: (content) => {
      recordedContent = content;
    },
    endRecording: (reason) => endRecording?.(reason),
    ignoreStop: () => {
      ignoresStop = true;
    },
    play,
    setSoundUses: (next) => {
      uses = next;
      for (const useListener of useListeners) useListener();
    },
    showWindows: (open, focused = open[0]?.id) => {
      windows = open;
      active = focused;
      for (const windowListener of windowListeners) windowListener();
    },
    setIdleMs: (ms) => {
      idleMs = ms;
    },
    listChords: () => chords,
    pressHotkey: (index, isRepeated = false) => listener?.onPress(index, isRepeated),
    refuseHotkeys: (refused) => listener?.onStatus(refused),
    focusPassword: (isFocused) => {
      isPasswordFocused = isFocused;
      for (const passwordListener of passwordListeners) passwordListener();
    },
    copy: (text) => {
      clipboardText = text;
    },
    answerPrompt: (answer) => answerPrompt?.(answer),
    actions,
    listTypedTexts: () => actions.flatMap((action) => (action.kind === 'type' ? [action.text] : [])),
    behave: (next) => {
      behaviour = next;
    },
    waitForActions: (isFulfilled) =>
      new Promise((resolve) => {
        function check(): void {
          if (!isFulfilled(actions)) return;
          pendingChecks.delete(check);
          resolve();
        }
        pendingChecks.add(check);
        check();
      }),
    [Symbol.asyncDispose]: async () => undefined,
  };
}
