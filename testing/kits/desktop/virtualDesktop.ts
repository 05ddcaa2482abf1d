import type { TextProgram, TextWindow } from './textWindow.ts';

/** Codes of keys in the kernel; `Y` types y in the US layout. */
export const KEY_CODES = {
  Esc: 1,
  Tab: 15,
  R: 19,
  Y: 21,
  LeftControl: 29,
  A: 30,
  LeftShift: 42,
  LeftAlt: 56,
  Space: 57,
  CapsLock: 58,
  F9: 67,
  LeftSuper: 125,
} as const;

/** A desktop without a screen, and a person who uses it. */
export interface VirtualDesktop extends AsyncDisposable {
  /** Environment of the agent, and of programs that should appear on the desktop. */
  readonly env: NodeJS.ProcessEnv;
  /** What the agent calls it. */
  readonly name: string;
  /** Presses or releases a key of the person's keyboard, by its code in the kernel. */
  readonly sendKey: (code: number, isDown: boolean) => Promise<void>;
  /** Sets the layouts of that keyboard ('de', 'us,ru'), and an XKB option ('caps:none'). */
  readonly setLayout: (layout: string, option?: string) => Promise<void>;
  /** Opens a window, which gets the focus. */
  readonly openTextWindow: (program: TextProgram) => Promise<TextWindow>;
  /** Puts a text on the clipboard, like another program. */
  readonly copyText: (text: string) => Promise<void>;
  /** Returns the text on the clipboard, as another program gets it. */
  readonly pasteText: () => Promise<string>;
}

/** Presses the keys in order, and releases them in reverse. */
export async function tapKeys(desktop: VirtualDesktop, ...codes: readonly number[]): Promise<void> {
  for (const code of codes) await desktop.sendKey(code, true);
  for (const code of codes.toReversed()) await desktop.sendKey(code, false);
}
