/** Who made a sound: its process and those above it, the nearest first. */
export interface SoundSource {
  readonly session: string;
  readonly lineage: readonly number[];
  readonly program: string;
}
interface Window {
  readonly application: string;
  readonly pid: number | undefined;
}

/**
 * The application that a sound belongs to: the one whose window the process has, or one above it (browsers play from a child of theirs);
 * without a window the program's name, else what the sound is called.
 */
export const soundOwner = ({ session, lineage, program }: SoundSource, windows: readonly Window[]): string => {
  for (const pid of lineage) {
    const window = windows.find((one) => one.pid === pid);
    if (window) return window.application;
  }
  return program || session;
};
