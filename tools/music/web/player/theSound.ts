import { useSyncExternalStore } from 'react';
import { makeSound } from './sound.ts';
import type { SoundState } from './soundState.ts';

/** The one of this page. */
export const sound = makeSound();

export const useSound = (): SoundState => useSyncExternalStore(sound.subscribe, sound.state);
