import type {
  CaptureDriver,
  ClipboardDriver,
  HotkeysDriver,
  KeyboardDriver,
  MouseDriver,
  WindowsDriver,
} from './drivers.ts';

/** The hotkeys of one desktop. */
export interface SessionHotkeys extends HotkeysDriver {
  /** Runs the task while no hotkey is listened for, as its key presses are meant for other programs. */
  readonly runWithout: <T>(task: () => Promise<T>) => Promise<T>;
}

/** The drivers of one desktop, from when it was found until it ends. */
export interface DesktopSession extends AsyncDisposable {
  /** Name for people: 'X11', 'sway on Wayland'. */
  readonly name: string;
  readonly keyboard: KeyboardDriver;
  readonly mouse: MouseDriver;
  readonly clipboard: ClipboardDriver;
  readonly windows: WindowsDriver;
  readonly hotkeys: SessionHotkeys;
  readonly capture: CaptureDriver;
  /** Registers a listener for changed abilities of keyboard and mouse, where they can change. */
  readonly onAbilityChange?: (listener: () => void) => void;
  /** Registers a listener for the end of the desktop. */
  readonly onClosed: (listener: () => void) => void;
}
