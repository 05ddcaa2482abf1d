import { useSyncExternalStore } from 'react';
import { createListeners } from '#platform/web/store.ts';
import { alarmPlan, type ScheduledTone } from '../domain/alarm.ts';
import type { Milliseconds } from '../domain/countdown.ts';

/** `waiting`: the browser plays nothing before a click or a key press on this page. `none`: it has no audio. */
export type SoundState = 'ready' | 'waiting' | 'none';

export interface Ring {
  readonly stop: () => void;
}

let context: AudioContext | undefined;
let isSuspended = false;
const listeners = createListeners();

const hasSound = (): boolean => 'AudioContext' in window;

const createContext = (): AudioContext => {
  const created = new AudioContext();
  created.addEventListener('statechange', listeners.notify);
  return created;
};

/** A refused change shows in the context's state, so errors are ignored. */
const notifyAfter = (change: Promise<void>): Promise<void> => change.then(listeners.notify, listeners.notify);

const playTone = (on: AudioContext, out: AudioNode, { frequency, start: from, stop, envelope }: ScheduledTone) => {
  const oscillator = on.createOscillator();
  const volume = on.createGain();
  oscillator.frequency.value = frequency;
  for (const { at, gain } of envelope.slice(0, 1)) volume.gain.setValueAtTime(gain, at);
  for (const { at, gain } of envelope.slice(1)) volume.gain.linearRampToValueAtTime(gain, at);
  oscillator.connect(volume).connect(out);
  oscillator.start(from);
  oscillator.stop(stop);
  return oscillator;
};

/** Output of the latest alarm. A later alarm silences it when it starts, so that they don't add up. */
let latestOutput: GainNode | undefined;

export const sound = {
  state: (): SoundState => {
    if (!hasSound()) return 'none';
    return context !== undefined && (isSuspended || context.state === 'running') ? 'ready' : 'waiting';
  },
  subscribe: listeners.subscribe,
  /** Asks the browser to allow sound. It does after a click or a key press, some browsers also before. */
  wake: async (): Promise<void> => {
    if (!hasSound()) return;
    context ??= createContext();
    isSuspended = false;
    if (context.state !== 'running') await notifyAfter(context.resume());
  },
  /** Suspends the audio, because nothing is going to sound. */
  rest: (): void => {
    if (context?.state !== 'running') return;
    isSuspended = true;
    void notifyAfter(context.suspend());
  },
  /** Plays the alarm in `wait` milliseconds, or its rest if that is negative. Calls `onEnd` at its end. */
  play: (wait: Milliseconds, onEnd: () => void = () => undefined): Ring => {
    if (context === undefined || sound.state() !== 'ready') {
      onEnd();
      return { stop: () => undefined };
    }
    const { currentTime } = context;
    const { tones } = alarmPlan(currentTime, wait);
    const out = context.createGain();
    out.connect(context.destination);
    latestOutput?.gain.setValueAtTime(0, Math.max(currentTime, currentTime + wait / 1000));
    latestOutput = out;
    const on = context;
    const playing = tones.map((tone) => playTone(on, out, tone));
    let ended = false;
    const end = (): void => {
      if (ended) return;
      ended = true;
      out.disconnect();
      if (latestOutput === out) latestOutput = undefined;
      onEnd();
    };
    const lastTone = playing.at(-1);
    if (lastTone === undefined) end();
    else lastTone.addEventListener('ended', end, { once: true });
    return {
      stop: () => {
        for (const oscillator of playing) oscillator.stop();
        end();
      },
    };
  },
};

export function useSoundState(): SoundState {
  return useSyncExternalStore(sound.subscribe, sound.state);
}
