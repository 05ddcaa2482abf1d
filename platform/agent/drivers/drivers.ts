/** Whether a driver works on this computer; `reason` says in one sentence why not. */
export type Ability = { readonly able: true } | { readonly able: false; readonly reason: string };

/** The outcome of typing a text. `dropped` lists the characters that could not be typed. */
export interface TypeResult {
  readonly dropped: readonly string[];
}

/**
 * Types and presses keys. Keys have the product's names: a to z, Ctrl, Gui, Alt, Shift, Tab, Enter, Esc, Backspace,
 * Del, arrows, F1 to F12, Minus and media keys (the list is in tools/remote/domain/keys.ts).
 */
export interface KeyboardDriver {
  readonly ability: Ability;
  /**
   * Types the text exactly, whatever the keyboard layout. Calls are queued. `onProgress` runs after each typed part; if
   * it throws, the typing ends.
   */
  readonly type: (text: string, onProgress?: () => void) => Promise<TypeResult>;
  /**
   * Presses the keys in order and releases them in reverse.
   * @throws Refusal if a key does not exist, or the chord can't be sent.
   */
  readonly press: (keys: readonly string[]) => Promise<void>;
  /**
   * Holds exactly these modifiers while the mouse is used. An empty list releases them, and so does typing or a key
   * press.
   */
  readonly holdModifiers: (modifiers: readonly string[]) => Promise<void>;
  /** Releases everything that this driver holds. */
  readonly releaseAll: () => Promise<void>;
}

export type MouseButton = 'left' | 'middle' | 'right';

export interface MouseDriver {
  readonly ability: Ability;
  /** Moves the pointer by whole pixels. */
  readonly move: (dx: number, dy: number) => void;
  /** Moves the pointer to the middle of the screen. */
  readonly centre: () => void;
  readonly button: (which: MouseButton, down: boolean) => void;
  /** Turns the wheel by steps; down and right are positive. */
  readonly wheel: (dx: number, dy: number) => void;
  readonly releaseAll: () => Promise<void>;
}

/** A question to the person at the computer, with two buttons. */
export interface ConfirmationPrompt {
  readonly title: string;
  readonly text: string;
  readonly confirmLabel: string;
  readonly rejectLabel: string;
  /** The question closes after this time. */
  readonly timeoutMs: number;
}

export interface NotificationDriver {
  readonly ability: Ability;
  readonly show: (title: string, text: string) => Promise<void>;
  /**
   * Returns whether the first button was pressed; undefined if neither was.
   * @throws Refusal if this desktop shows no buttons in notifications.
   */
  readonly confirm: (question: ConfirmationPrompt) => Promise<boolean | undefined>;
}

/** Something with a volume: the sound of one application (all its streams), or an output of the computer. */
export interface AudioLevel {
  /** Name for people; unique in its group. */
  readonly name: string;
  /** A whole number from 0 to 100. A stream that is louder than 100 % shows 100. */
  readonly level: number;
  /** Independent of the level, which stays as it is. */
  readonly muted: boolean;
  /** '#rrggbb', derived from the icon or the name, so it is stable. It is visible on light and dark surfaces. */
  readonly colour: string;
  /** Name of the system's default output, which the master volume controls. */
  readonly device?: string | undefined;
}
export interface AudioState {
  readonly sessions: readonly AudioLevel[];
  /** The first one is the default output. It is called 'Master', and its level is the master volume. */
  readonly outputs: readonly AudioLevel[];
}
export type AudioGroup = keyof AudioState;

/** A stream that plays or records now; paused (corked) streams are left out. */
export interface SoundUse {
  readonly kind: 'playing' | 'recording';
  /** Name to show to people. */
  readonly session: string;
  /** The process of the stream and its ancestors, nearest first; empty if unknown. */
  readonly lineage: readonly number[];
  /** File name of the process's program; '' if unknown. */
  readonly program: string;
}

export interface AudioDriver {
  readonly ability: Ability;
  readonly getState: () => AudioState;
  /**
   * Sets the level of all streams of a name, now and later, and keeps their balance. Returns false if the name or the
   * sound server is missing, or the level is invalid.
   */
  readonly set: (
    group: AudioGroup,
    name: string,
    to: { readonly level: number; readonly muted: boolean },
  ) => Promise<boolean>;
  /** Registers a listener for all changes of states, also by other programs. */
  readonly onChange: (listener: (state: AudioState) => void) => void;
  /** Lists the streams that play or record now, without the desktop's own sounds. */
  readonly listUses: () => readonly SoundUse[];
  readonly onUseChange: (listener: () => void) => void;
}

export interface OpenWindow {
  /** Unique while the window is open. */
  readonly id: number;
  /** The class that the program gives the window manager, or the file name of the program. Never empty. */
  readonly application: string;
  readonly pid: number | undefined;
}

/** Watches application windows; panels and the desktop itself are left out. */
export interface WindowsDriver {
  readonly ability: Ability;
  /** Returns the window with the focus. */
  readonly getActive: () => OpenWindow | undefined;
  readonly listOpen: () => readonly OpenWindow[];
  /** Registers a listener for changes of the focus, of the open windows and of the ability. */
  readonly onChange: (listener: () => void) => void;
  /** Returns the text of the title bar; '' if there is none, or the window is gone. */
  readonly getTitle: (id: number) => Promise<string>;
  /**
   * Returns the milliseconds since the keyboard or the mouse was last used.
   * @throws Refusal if the display is gone.
   */
  readonly getIdleMs: () => Promise<number>;
}

/** A key with the modifiers that are held, by the product's names. The key can be a single character too. */
export interface KeyChord {
  readonly modifiers: readonly string[];
  readonly key: string;
}

/** Receives presses and status. Chords are identified by their index in the list. */
export interface HotkeyListener {
  /** `isRepeated` is true while the key is still held. */
  readonly onPress: (index: number, isRepeated: boolean) => void;
  /** Called first, and whenever something changes, with a sentence for each unavailable chord. */
  readonly onStatus: (refused: ReadonlyMap<number, string>) => void;
}

/** Global hotkeys: this agent gets their presses wherever the focus is, and other programs do not. */
export interface HotkeysDriver {
  /**
   * Replaces the chords. They survive changes of the display and the layout. Keys that the agent types do not trigger
   * them.
   */
  readonly listen: (chords: readonly KeyChord[], listener: HotkeyListener) => void;
}

/** Access to the clipboard, for text only. */
export interface ClipboardDriver {
  readonly ability: Ability;
  /** Returns '' if the clipboard contains no text. */
  readonly read: () => Promise<string>;
  readonly write: (text: string) => Promise<void>;
}

/** Whether a password field has the keyboard focus, if programs report it to the desktop. */
export interface PasswordFocusDriver {
  /** Returns false if nothing reports it. */
  readonly isFocused: () => boolean;
  readonly onChange: (listener: () => void) => void;
}

/** A part of the screen, in whole pixels from its upper left corner. */
export interface ScreenRegion {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A running recording of the screen. */
export interface ScreenRecording {
  /** Resolves at the end. The value is a sentence if the recording ended unrequested or is incomplete. */
  readonly whenEnded: Promise<string | undefined>;
  /** Stops the recording; afterwards the file is complete. */
  readonly stop: () => Promise<void>;
}

export interface CaptureDriver {
  readonly ability: Ability;
  /**
   * Records the screen, or a part of it, as Matroska video without sound. The file can be played however the recording
   * ends. Resolves at the first frame.
   * @throws Refusal if recording is not possible.
   */
  readonly start: (path: string, region: ScreenRegion | undefined) => Promise<ScreenRecording>;
}

/** The parts of the computer that the agent can use. */
export interface Drivers extends AsyncDisposable {
  /** Name for people: 'Debian 12, X11'. */
  readonly system: string;
  readonly keyboard: KeyboardDriver;
  readonly mouse: MouseDriver;
  readonly notifications: NotificationDriver;
  readonly audio: AudioDriver;
  readonly clipboard: ClipboardDriver;
  readonly passwordFocus: PasswordFocusDriver;
  readonly windows: WindowsDriver;
  readonly hotkeys: HotkeysDriver;
  readonly capture: CaptureDriver;
  /** Lists what the person at the computer has to do before everything works, step by step; empty if nothing. */
  readonly listSetupSteps?: () => readonly string[];
}
