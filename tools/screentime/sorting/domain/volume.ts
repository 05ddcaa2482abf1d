import type { HotkeyAction } from './categoryHotkeys.ts';

/** Percent that one press changes. */
export const VOLUME_STEP = 5;

export interface Loudness {
  /** 0 to 100. */
  readonly level: number;
  readonly muted: boolean;
}

/**
 * What becomes of sounds that one hotkey is for. Mute brings them all to silence, or back where all are silent already; what is made louder
 * is heard again.
 */
export const afterPress = <S extends Loudness>(action: HotkeyAction, sounds: readonly S[]): readonly S[] => {
  const isSilent = sounds.every(({ muted }) => muted);
  return sounds.map((sound) => {
    if (action === 'mute') return { ...sound, muted: !isSilent };
    const step = action === 'up' ? VOLUME_STEP : -VOLUME_STEP;
    const level = Math.min(100, Math.max(0, sound.level + step));
    return { ...sound, level, muted: action === 'up' ? false : sound.muted };
  });
};
