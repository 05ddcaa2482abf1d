import { useSyncExternalStore } from 'react';
import { createSound } from './sound.ts';
import type { SoundState } from './soundState.ts';

/** The player of this page. */
export const sound = createSound();

export function useSound(): SoundState {
  return useSyncExternalStore(sound.subscribe, sound.state);
}
