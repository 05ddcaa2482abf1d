import { useSyncExternalStore } from 'react';
import { createListeners } from '#platform/web/store.ts';
import { planAlarm, type ScheduledTone } from '../domain/alarm.ts';
import type { Milliseconds } from '../domain/countdown.ts';

/** `waiting`: the browser plays nothing before a click or a key press on this page. `unsupported`: it has no audio. */
export type SoundState = 'ready' | 'waiting' | 'unsupported';

export interface PlayingAlarm {
  readonly stop: () => void;
}

let audioContext: AudioContext | undefined;
let isSuspended = false;
const listeners = createListeners();

const hasSound = (): boolean => 'AudioContext' in window;

function createContext(): AudioContext {
  const context = new AudioContext();
  context.addEventListener('statechange', listeners.notify);
  return context;
}

/** Ignores errors, because the state of the context shows whether the change was refused. */
const notifyAfter = (change: Promise<void>): Promise<void> => change.then(listeners.notify, listeners.notify);

function playTone(context: AudioContext, output: AudioNode, { frequency, start, stop, envelope }: ScheduledTone) {
  const oscillator = context.createOscillator();
  const volume = context.createGain();
  oscillator.frequency.value = frequency;
  for (const { at, gain } of envelope.slice(0, 1)) volume.gain.setValueAtTime(gain, at);
  for (const { at, gain } of envelope.slice(1)) volume.gain.linearRampToValueAtTime(gain, at);
  oscillator.connect(volume).connect(output);
  oscillator.start(start);
  oscillator.stop(stop);
  return oscillator;
}

/** Output of the latest alarm. A later alarm silences it when it starts, so that they don't add up. */
let latestOutput: GainNode | undefined;

export const sound = {
  getState: (): SoundState => {
    if (!hasSound()) return 'unsupported';
    return audioContext !== undefined && (isSuspended || audioContext.state === 'running') ? 'ready' : 'waiting';
  },
  subscribe: listeners.subscribe,
  /** Asks the browser to allow sound. It does after a click or a key press, some browsers also before. */
  resume: async (): Promise<void> => {
    if (!hasSound()) return;
    audioContext ??= createContext();
    isSuspended = false;
    if (audioContext.state !== 'running') await notifyAfter(audioContext.resume());
  },
  /** Suspends the audio, because nothing is going to sound. */
  suspend: (): void => {
    if (audioContext?.state !== 'running') return;
    isSuspended = true;
    void notifyAfter(audioContext.suspend());
  },
  /** Plays the alarm in `delay` milliseconds, or its rest if that is negative. Calls `onEnd` at its end. */
  play: (delay: Milliseconds, onEnd: () => void = () => undefined): PlayingAlarm => {
    if (audioContext === undefined || sound.getState() !== 'ready') {
      onEnd();
      return { stop: () => undefined };
    }
    const context = audioContext;
    const { currentTime } = context;
    const { tones } = planAlarm(currentTime, delay);
    const output = context.createGain();
    output.connect(context.destination);
    latestOutput?.gain.setValueAtTime(0, Math.max(currentTime, currentTime + delay / 1000));
    latestOutput = output;
    const oscillators = tones.map((tone) => playTone(context, output, tone));
    let hasEnded = false;
    function end(): void {
      if (hasEnded) return;
      hasEnded = true;
      output.disconnect();
      if (latestOutput === output) latestOutput = undefined;
      onEnd();
    }
    const lastTone = oscillators.at(-1);
    if (lastTone === undefined) end();
    else lastTone.addEventListener('ended', end, { once: true });
    return {
      stop: () => {
        for (const oscillator of oscillators) oscillator.stop();
        end();
      },
    };
  },
};

export function useSoundState(): SoundState {
  return useSyncExternalStore(sound.subscribe, sound.getState);
}
