// Parts of a computer that are not bound to its desktop session: they may be there before it, and without it.
import { Refusal } from '#platform/contract/refusal.ts';
import type { AudioDriver } from './drivers.ts';
import { createMacNotifications } from './mac/notifications.ts';
import { openMacPasswordFocus, openMacSystemAudio } from './mac/services.ts';
import { openNotifications, type DesktopNotifications } from './notifications.ts';
import { openPasswordFocus, type DesktopPasswordFocus } from './passwordFocus.ts';
import { openPulseAudio } from './pulse/pulseAudio.ts';
import { openWindowsAudio } from './windows/audio.ts';
import { openWindowsNotifications } from './windows/notifications.ts';

export interface SystemAudio extends AudioDriver, AsyncDisposable {
  /** Registers a listener for the sound server or the last output appearing or disappearing. */
  readonly onAbilityChange: (listener: () => void) => void;
}

export interface SystemAudioOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly stateDir: string;
}

const NO_AUDIO_MESSAGE = "This version of the agent can't control sound on this system";

const createUnavailableAudio = (reason: string): SystemAudio => ({
  ability: { able: false, reason },
  getState: () => ({ sessions: [], outputs: [] }),
  set: async () => false,
  onChange: () => undefined,
  onAbilityChange: () => undefined,
  listUses: () => [],
  onUseChange: () => undefined,
  [Symbol.asyncDispose]: async () => undefined,
});

function openMacAudioIfPossible(): SystemAudio {
  try {
    return openMacSystemAudio();
  } catch (error) {
    if (error instanceof Refusal) return createUnavailableAudio(error.message);
    throw error;
  }
}

/** Opens the sound of this computer. */
export function openSystemAudio(options: SystemAudioOptions): SystemAudio {
  if (process.platform === 'linux') return openPulseAudio(options);
  if (process.platform === 'win32') return openWindowsAudio();
  return process.platform === 'darwin' ? openMacAudioIfPossible() : createUnavailableAudio(NO_AUDIO_MESSAGE);
}

/** Opens the notifications of this computer. */
export async function openSystemNotifications(env: NodeJS.ProcessEnv): Promise<DesktopNotifications> {
  if (process.platform === 'darwin') return createMacNotifications(env);
  // Without node:ffi there are none. The desktop says then why.
  if (process.platform === 'win32' && process.getBuiltinModule('node:ffi')) return openWindowsNotifications();
  return openNotifications(env['DBUS_SESSION_BUS_ADDRESS']);
}

/** Finds out whether a password field has the focus, if this system reports it. */
export async function openSystemPasswordFocus(env: NodeJS.ProcessEnv): Promise<DesktopPasswordFocus> {
  return process.platform === 'darwin' ? openMacPasswordFocus() : openPasswordFocus(env['DBUS_SESSION_BUS_ADDRESS']);
}
