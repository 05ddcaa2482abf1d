import type { Drivers } from '#platform/agent/drivers/drivers.ts';
import type { HotkeyAction } from '../sorting/domain/categoryHotkeys.ts';
import { afterPress } from '../sorting/domain/volume.ts';
import { soundOwner } from '../usage/domain/soundOwner.ts';

export interface Loudness {
  /** Makes these applications louder, quieter or silent, those of them that have a sound. */
  readonly change: (applications: readonly string[], action: HotkeyAction) => Promise<void>;
}

const fold = (name: string): string => name.toLowerCase();

/** Acts on the sounds of applications as the screen time names them: by their windows, their programs, or what the sounds are called. */
export const createLoudness = ({ audio, windows }: Pick<Drivers, 'audio' | 'windows'>): Loudness => {
  /** Whose sounds each slider of the mixer holds. A held-up stream is in use no more, and still belongs to whom it did. */
  const owners = new Map<string, Set<string>>();
  const look = (): void => {
    const there = new Set(audio.getState().sessions.map(({ name }) => name));
    for (const session of owners.keys()) if (!there.has(session)) owners.delete(session);
    const open = windows.listOpen();
    for (const use of audio.listUses()) {
      if (use.kind !== 'playing') continue;
      const known = owners.get(use.session) ?? new Set();
      owners.set(use.session, known.add(fold(soundOwner(use, open))));
    }
  };
  audio.onUseChange(look);
  look();

  const change = async (applications: readonly string[], action: HotkeyAction): Promise<void> => {
    const wanted = new Set(applications.map(fold));
    look();
    const sounds = audio
      .getState()
      .sessions.filter(
        ({ name }) => wanted.has(fold(name)) || [...(owners.get(name) ?? [])].some((one) => wanted.has(one)),
      );
    await Promise.all(
      afterPress(action, sounds).map(({ name, level, muted }) => audio.set('sessions', name, { level, muted })),
    );
  };
  /** A press counts from where the one before it has led. */
  let last: Promise<void> = Promise.resolve();

  return {
    change: (applications, action) => {
      const own = last.then(() => change(applications, action));
      last = own.catch(() => undefined);
      return own;
    },
  };
};
