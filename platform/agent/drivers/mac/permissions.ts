import { basename } from 'node:path';
import type { Ability } from '../drivers.ts';
import type { MacFrameworks } from './frameworks.ts';

/** Names of terminals in TERM_PROGRAM, and as System Settings lists them. */
const TERMINAL_NAMES: ReadonlyMap<string, string> = new Map([
  ['Apple_Terminal', 'Terminal'],
  ['iTerm.app', 'iTerm'],
  ['vscode', 'Visual Studio Code'],
  ['WarpTerminal', 'Warp'],
  ['ghostty', 'Ghostty'],
  ['WezTerm', 'WezTerm'],
]);
/** From this version on, the page for recording has another name. */
const AUDIO_RECORDING_VERSION = 15;
const SETTINGS_LINK = 'x-apple.systempreferences:com.apple.preference.security';

/** The program to which macOS gives the permission. */
export interface PermittedProgram {
  /** Name as System Settings lists it. */
  readonly name: string;
  /** Path to add to the list; undefined for a terminal, which macOS adds itself. */
  readonly path: string | undefined;
}

/** Returns the terminal that started the agent, or else the program that runs it. */
export function findPermittedProgram(env: NodeJS.ProcessEnv, execPath: string): PermittedProgram {
  const terminal = env['TERM_PROGRAM'];
  if (!terminal) return { name: basename(execPath), path: execPath };
  return { name: TERMINAL_NAMES.get(terminal) ?? 'your terminal', path: undefined };
}

/** Which permissions the agent has. */
export interface PermissionState {
  readonly canControl: boolean;
  readonly canRecordScreen: boolean;
}

const getRecordingPage = (macVersion: number): string =>
  macVersion >= AUDIO_RECORDING_VERSION ? 'Screen & System Audio Recording' : 'Screen Recording';

/** Says in one sentence how to let the agent type and move the mouse. */
export function explainControl({ name }: PermittedProgram): string {
  return `macOS doesn't let the agent type and move the mouse yet. On that computer open System Settings, Privacy & Security, Accessibility, and switch on ${name}`;
}

/** Says in one sentence how to let the agent record the screen. */
export function explainRecording({ name }: PermittedProgram, macVersion: number): string {
  return `macOS doesn't let the agent record the screen yet. On that computer open System Settings, Privacy & Security, ${getRecordingPage(macVersion)}, switch on ${name}, and start the agent again`;
}

function listPageSteps(page: string, link: string, { name, path }: PermittedProgram): readonly string[] {
  return [
    `  1. Open System Settings, Privacy & Security, ${page}. This opens it: open "${SETTINGS_LINK}?${link}"`,
    `  2. Switch on ${name}${path === undefined ? ', from which you started the agent' : ''}`,
    path === undefined
      ? `     If it isn't in the list: press +, and choose it from the Applications folder`
      : `     If it isn't in the list: press +, then Cmd-Shift-G, and enter ${path}`,
    '     If it is already on and this message stays: remove it with -, and add it again',
  ];
}

/** Lists what to do at the computer, step by step; empty if nothing is missing. */
export function listPermissionSteps(
  { canControl, canRecordScreen }: PermissionState,
  program: PermittedProgram,
  macVersion: number,
): readonly string[] {
  return [
    ...(canControl
      ? []
      : [
          'To let the agent type and move the mouse:',
          ...listPageSteps('Accessibility', 'Privacy_Accessibility', program),
          '  3. Wait a few seconds, until the agent notices it',
        ]),
    ...(canRecordScreen
      ? []
      : [
          'To let the agent record the screen and know the titles of windows (you can leave this out):',
          ...listPageSteps(getRecordingPage(macVersion), 'Privacy_ScreenCapture', program),
          '  3. Start the agent again. macOS tells programs about this permission only when they start',
        ]),
  ];
}

const CHECK_INTERVAL_MS = 2000;

/** The permissions of this process, and what to do if they are missing. */
export interface Permissions extends Disposable {
  readonly getControlAbility: () => Ability;
  readonly getRecordingAbility: () => Ability;
  readonly listSteps: () => readonly string[];
  /** Registers a listener for a permission that was given or taken. */
  readonly onChange: (listener: () => void) => void;
}

export interface PermissionsOptions {
  readonly frameworks: Pick<MacFrameworks, 'permissions'>;
  readonly program: PermittedProgram;
  readonly macVersion: number;
  readonly checkIntervalMs?: number | undefined;
}

/** Follows the permissions. If the agent can't type, it requests the dialog of macOS, once. */
export function openPermissions(options: PermissionsOptions): Permissions {
  const { program, macVersion, checkIntervalMs = CHECK_INTERVAL_MS } = options;
  const { permissions } = options.frameworks;
  const listeners: (() => void)[] = [];
  const read = (): PermissionState => ({
    canControl: permissions.AXIsProcessTrusted() !== 0 || permissions.CGPreflightPostEventAccess() !== 0,
    canRecordScreen: permissions.CGPreflightScreenCaptureAccess() !== 0,
  });
  let state = read();
  if (!state.canControl) permissions.CGRequestPostEventAccess();
  const timer = setInterval(() => {
    const before = state;
    state = read();
    if (state.canControl === before.canControl && state.canRecordScreen === before.canRecordScreen) return;
    for (const listener of listeners) listener();
  }, checkIntervalMs).unref();
  return {
    getControlAbility: () => (state.canControl ? { able: true } : { able: false, reason: explainControl(program) }),
    getRecordingAbility: () =>
      state.canRecordScreen ? { able: true } : { able: false, reason: explainRecording(program, macVersion) },
    listSteps: () => listPermissionSteps(state, program, macVersion),
    onChange: (listener) => void listeners.push(listener),
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
