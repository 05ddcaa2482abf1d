import { useSyncExternalStore } from 'react';
import { alarmPlan, type ScheduledTone } from '../domain/alarm.ts';
import type { Milliseconds } from '../domain/countdown.ts';

/** `waiting`: the browser plays nothing on this page before its user has clicked or pressed a key. `none`: it has no sound. */
export type SoundState = 'ready' | 'waiting' | 'none';

export interface Ring {
  readonly stop: () => void;
}

let context: AudioContext | undefined;
let rests = false;
const listeners = new Set<() => void>();
const tellAll = (): void => {
  for (const tell of listeners) tell();
};

const hasSound = (): boolean => 'AudioContext' in window;

const start = (): AudioContext => {
  const started = new AudioContext();
  started.addEventListener('statechange', tellAll);
  return started;
};

/** A context that is refused says so by its state, which is what is looked at. */
const told = (change: Promise<void>): Promise<void> => change.then(tellAll, tellAll);

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

/** The one that sounds or is about to: a later one ends it where it begins, so that no two add up. */
let last: GainNode | undefined;

export const sound = {
  state: (): SoundState => {
    if (!hasSound()) return 'none';
    return context !== undefined && (rests || context.state === 'running') ? 'ready' : 'waiting';
  },
  subscribe: (tell: () => void): (() => void) => {
    listeners.add(tell);
    return () => listeners.delete(tell);
  },
  /** Asks the browser for sound; it gives it after a click or a key, some browsers also before. */
  wake: async (): Promise<void> => {
    if (!hasSound()) return;
    context ??= start();
    rests = false;
    if (context.state !== 'running') await told(context.resume());
  },
  /** Nothing is going to sound: the loudspeaker is let go. */
  rest: (): void => {
    if (context?.state !== 'running') return;
    rests = true;
    void told(context.suspend());
  },
  /** The alarm, `wait` milliseconds from now, or what is left of it where that is below 0. `over` runs at its end. */
  play: (wait: Milliseconds, over: () => void = () => undefined): Ring => {
    if (context === undefined || sound.state() !== 'ready') {
      over();
      return { stop: () => undefined };
    }
    const { currentTime } = context;
    const { tones } = alarmPlan(currentTime, wait);
    const out = context.createGain();
    out.connect(context.destination);
    last?.gain.setValueAtTime(0, Math.max(currentTime, currentTime + wait / 1000));
    last = out;
    const on = context;
    const playing = tones.map((tone) => playTone(on, out, tone));
    let ended = false;
    const end = (): void => {
      if (ended) return;
      ended = true;
      out.disconnect();
      if (last === out) last = undefined;
      over();
    };
    const longest = playing.at(-1);
    if (longest === undefined) end();
    else longest.addEventListener('ended', end, { once: true });
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
