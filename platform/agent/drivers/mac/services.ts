import type { DesktopPasswordFocus } from '../passwordFocus.ts';
import { openMacAudio, type MacAudio } from './audio.ts';
import { createAudioObjects } from './audioObjects.ts';
import { createFoundationReader } from './coreFoundation.ts';
import { openFrameworks, type MacFrameworks, type MacLibraryPaths } from './frameworks.ts';
import { createProcessLookup } from './processes.ts';

const FOCUS_INTERVAL_MS = 250;

/**
 * Opens the sound of this Mac.
 * @throws Refusal if this Node is too old.
 */
export function openMacSystemAudio(libraries?: MacLibraryPaths): MacAudio {
  const frameworks = openFrameworks(libraries);
  const objects = createAudioObjects(frameworks, createFoundationReader(frameworks));
  return openMacAudio({ objects, processes: createProcessLookup(frameworks) });
}

/**
 * Follows whether macOS protects the keyboard from being recorded, which programs request for password fields.
 * @throws Refusal if this Node is too old.
 */
export function openMacPasswordFocus(
  frameworks: Pick<MacFrameworks, 'carbon'> = openFrameworks(),
  intervalMs = FOCUS_INTERVAL_MS,
): DesktopPasswordFocus {
  const listeners: (() => void)[] = [];
  const read = (): boolean => frameworks.carbon.IsSecureEventInputEnabled() !== 0;
  let isFocused = read();
  let isOpen = true;
  const timer = setInterval(() => {
    const before = isFocused;
    isFocused = read();
    if (isFocused !== before) for (const listener of listeners) listener();
  }, intervalMs).unref();
  return {
    isOpen: () => isOpen,
    isFocused: () => isFocused,
    onChange: (listener) => void listeners.push(listener),
    [Symbol.asyncDispose]: async () => {
      isOpen = false;
      clearInterval(timer);
    },
  };
}
