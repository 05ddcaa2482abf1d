/** What a driver can do here; `reason` says in a sentence why not. */
export type Ability = { readonly able: true } | { readonly able: false; readonly reason: string };

/** Characters that could not be typed are named in `dropped`. */
export interface TypeResult {
  readonly dropped: readonly string[];
}

/** Keys by the product's names: a to z, Ctrl, Gui, Alt, Shift, Tab, Enter, Esc, Backspace, Del, Left, Up, Down, Right, F1 to F12, Minus, and the media keys (tools/remote/domain/keys.ts has the list). */
export interface KeyboardDriver {
  readonly ability: Ability;
  /** Types the text exactly, whatever the layout. One after another: calls queue. `onProgress` runs each time a part of it has been typed. */
  readonly type: (text: string, onProgress?: () => void) => Promise<TypeResult>;
  /** Presses the keys in order and lets them go in reverse. @throws Refusal for a key it has not, or a chord that is not to be had. */
  readonly press: (keys: readonly string[]) => Promise<void>;
  /** Holds exactly these modifiers while the mouse is used; none lets them go, and so does typing or pressing anything. */
  readonly holdModifiers: (modifiers: readonly string[]) => Promise<void>;
  /** Lets go of everything this driver holds. */
  readonly releaseAll: () => Promise<void>;
}

export type MouseButton = 'left' | 'middle' | 'right';

export interface MouseDriver {
  readonly ability: Ability;
  /** Whole pixels, relative. */
  readonly move: (dx: number, dy: number) => void;
  /** To the middle of the screen. */
  readonly centre: () => void;
  readonly button: (which: MouseButton, down: boolean) => void;
  /** Steps of the wheel; down and right are positive. */
  readonly wheel: (dx: number, dy: number) => void;
  readonly releaseAll: () => Promise<void>;
}

/** A question to the person at the computer, with two buttons. */
export interface ConfirmationPrompt {
  readonly title: string;
  readonly text: string;
  readonly confirmLabel: string;
  readonly rejectLabel: string;
  /** It stands no longer than this. */
  readonly timeoutMs: number;
}

export interface NotificationDriver {
  readonly ability: Ability;
  readonly show: (title: string, text: string) => Promise<void>;
  /** Whether the first button was pressed; undefined where neither was. @throws Refusal where this desktop's notifications have no buttons. */
  readonly confirm: (question: ConfirmationPrompt) => Promise<boolean | undefined>;
}

/** One thing with a volume: the sound of an application (its streams together), or an output of the computer. */
export interface AudioLevel {
  /** As people read it; unique in its group. */
  readonly name: string;
  /** 0 to 100, whole. A stream that stands above shows 100. */
  readonly level: number;
  /** A flag of its own: the level is kept. */
  readonly muted: boolean;
  /** '#rrggbb', from the icon or the name: always the same, and to be seen on light and on dark. */
  readonly colour: string;
  /** What the master volume controls: the default output, as the system calls it. */
  readonly device?: string | undefined;
}
export interface AudioState {
  readonly sessions: readonly AudioLevel[];
  /** The default one, whose level is the master volume, is called 'Master' and stands first. */
  readonly outputs: readonly AudioLevel[];
}
export type AudioGroup = keyof AudioState;

/** A stream that is heard, or that listens: one that is not held up (corked). */
export interface SoundUse {
  readonly kind: 'playing' | 'recording';
  /** As the mixer calls it. */
  readonly session: string;
  /** The process that made it and those above it, the nearest first; empty where that is not known. */
  readonly lineage: readonly number[];
  /** File name of the process's program; '' where that is not known. */
  readonly program: string;
}

export interface AudioDriver {
  readonly ability: Ability;
  readonly getState: () => AudioState;
  /**
   * Sets what is there under this name: every stream of a session to this level, each with its balance between the channels. Levels of
   * sessions are set again on the next stream of the name. False where nothing is there, it was gone before it was set, the sound server
   * is away, or the level is none.
   */
  readonly set: (
    group: AudioGroup,
    name: string,
    to: { readonly level: number; readonly muted: boolean },
  ) => Promise<boolean>;
  /** The state has changed, by us or by anybody else. */
  readonly onChange: (then: (state: AudioState) => void) => void;
  /** Who plays and who records now; sounds of the desktop itself are left out. */
  readonly listUses: () => readonly SoundUse[];
  readonly onUseChange: (then: () => void) => void;
}

export interface OpenWindow {
  /** Of this window alone, as long as it is open. */
  readonly id: number;
  /** As the program calls itself to the window manager, else the file name of its program. Never empty. */
  readonly application: string;
  readonly pid: number | undefined;
}

/** The windows that people see as windows: panels and the desktop itself are none. */
export interface WindowsDriver {
  readonly ability: Ability;
  /** The one that has the focus. */
  readonly getActive: () => OpenWindow | undefined;
  readonly listOpen: () => readonly OpenWindow[];
  /** The focus, or what is open, has changed; or the ability has. */
  readonly onChange: (then: () => void) => void;
  /** What stands in its title bar; '' where nothing does, or it is gone. */
  readonly getTitle: (id: number) => Promise<string>;
  /** Since keyboard or mouse were last used, in milliseconds. @throws Refusal where the display is away. */
  readonly getIdleMs: () => Promise<number>;
}

/** A key and the modifiers that are held with it, by the product's names; the key may be a character too. */
export interface KeyChord {
  readonly modifiers: readonly string[];
  readonly key: string;
}

/** Chords are told by their places in the list that is listened for. */
export interface HotkeyListener {
  /** `isRepeated`: it is still held. */
  readonly onPress: (at: number, isRepeated: boolean) => void;
  /** How it stands with them, first and whenever something has changed: for each that cannot be had a sentence why. */
  readonly onStatus: (refused: ReadonlyMap<number, string>) => void;
}

/** Keys that are heard wherever they are pressed, and that nobody else gets. */
export interface HotkeysDriver {
  /** Exactly these from now on, whatever comes and goes meanwhile. What the agent types itself is not heard. */
  readonly listen: (chords: readonly KeyChord[], listener: HotkeyListener) => void;
}

/** Text alone. */
export interface ClipboardDriver {
  readonly ability: Ability;
  /** '' where there is no text in it. */
  readonly read: () => Promise<string>;
  readonly write: (text: string) => Promise<void>;
}

/** Whether a password field has the keyboard focus, as far as programs report it to the desktop. */
export interface PasswordFocusDriver {
  /** False where nothing reports it. */
  readonly isFocused: () => boolean;
  readonly onChange: (then: () => void) => void;
}

/** A part of the screen, in whole pixels from its upper left corner. */
export interface ScreenRegion {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The screen is being recorded. */
export interface ScreenRecording {
  /** Settles when it is over: with a sentence where nobody asked for its end, or it was not recorded to the end. */
  readonly whenEnded: Promise<string | undefined>;
  /** Ends it; the file is whole then. */
  readonly stop: () => Promise<void>;
}

export interface CaptureDriver {
  readonly ability: Ability;
  /**
   * Records the screen, or that part of it, as a video (Matroska, without sound) into this file. What is there of it can be played however
   * it ends. Runs once the first picture is there. @throws Refusal
   */
  readonly start: (path: string, region: ScreenRegion | undefined) => Promise<ScreenRecording>;
}

/** The machine, as far as the agent touches it. */
export interface Drivers extends AsyncDisposable {
  /** As people read it: 'Debian 12, X11'. */
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
}
