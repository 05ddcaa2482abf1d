/** What a driver can do here; `reason` says in a sentence why not. */
export type Ability = { readonly able: true } | { readonly able: false; readonly reason: string };

/** Characters that could not be typed are named in `dropped`. */
export interface Typed {
  readonly dropped: readonly string[];
}

/** Keys by the product's names: a to z, Ctrl, Gui, Alt, Shift, Tab, Enter, Esc, Backspace, Del, Left, Up, Down, Right, F1 to F12, Minus, and the media keys (tools/remote/domain/keys.ts has the list). */
export interface KeyboardDriver {
  readonly ability: Ability;
  /** Types the text exactly, whatever the layout. One after another: calls queue. */
  readonly type: (text: string) => Promise<Typed>;
  /** Presses the keys in order and lets them go in reverse. @throws Refusal for a key it has not, or a chord that is not to be had. */
  readonly press: (keys: readonly string[]) => Promise<void>;
  /** Lets go of everything this driver holds. */
  readonly releaseAll: () => Promise<void>;
}

export type MouseButton = 'left' | 'middle' | 'right';

export interface MouseDriver {
  readonly ability: Ability;
  /** Whole pixels, relative. */
  readonly move: (dx: number, dy: number) => void;
  readonly button: (which: MouseButton, down: boolean) => void;
  /** Steps of the wheel; down and right are positive. */
  readonly wheel: (dx: number, dy: number) => void;
  readonly releaseAll: () => Promise<void>;
}

export interface NotificationDriver {
  readonly ability: Ability;
  readonly show: (title: string, text: string) => Promise<void>;
}

/** The machine, as far as the agent touches it. Sound, windows and hotkeys join when a tool needs them. */
export interface Drivers extends AsyncDisposable {
  /** As people read it: 'Debian 12, X11'. */
  readonly system: string;
  readonly keyboard: KeyboardDriver;
  readonly mouse: MouseDriver;
  readonly notifications: NotificationDriver;
}
