import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, win32 } from 'node:path';
import * as z from 'zod/mini';
import { ABILITY_NAMES } from '#platform/contract/device.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { pairedAccount } from './pairedAccount.ts';
import type { AllowedAbilities } from './tool.ts';
import { writeFileAtomically } from './writeFileAtomically.ts';

/** Folders of the agent: those of the XDG base directory specification, of macOS or of Windows. */
export interface AgentFolders {
  /** `agent.json`: server, token and allowed abilities. */
  readonly config: string;
  /** Command answers, held keys, scripts and their results. */
  readonly state: string;
  /** The installed program. */
  readonly data: string;
  /** The socket, or named pipe, through which subcommands reach the running agent. */
  readonly socket: string;
}

/** On macOS everything is in one folder. Its socket is at the top, as the path of a socket may have 103 bytes. */
function getMacFolders(home: string): AgentFolders {
  const folder = join(home, 'Library', 'Application Support', 'Pegboard');
  return {
    config: folder,
    state: join(folder, 'state'),
    data: join(folder, 'program'),
    socket: join(folder, 'agent.sock'),
  };
}

/** What must follow the computer of a domain user is in Roaming; all else stays on this computer. */
function getWindowsFolders(env: NodeJS.ProcessEnv): AgentFolders {
  const home = env['USERPROFILE'] ?? homedir();
  const local = win32.join(env['LOCALAPPDATA'] || win32.join(home, 'AppData', 'Local'), 'pegboard');
  return {
    config: win32.join(env['APPDATA'] || win32.join(home, 'AppData', 'Roaming'), 'pegboard'),
    state: win32.join(local, 'state'),
    data: local,
    // Pipes have one name for all users of the computer.
    socket: `\\\\.\\pipe\\pegboard-agent-${env['USERNAME'] || win32.basename(home)}`,
  };
}

export function getFolders(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): AgentFolders {
  if (platform === 'win32') return getWindowsFolders(env);
  const home = env['HOME'] ?? homedir();
  if (platform === 'darwin') return getMacFolders(home);
  const resolveFolder = (variable: string, fallback: string): string =>
    join(env[variable] || join(home, fallback), 'pegboard');
  const state = resolveFolder('XDG_STATE_HOME', '.local/state');
  return {
    config: resolveFolder('XDG_CONFIG_HOME', '.config'),
    state,
    data: resolveFolder('XDG_DATA_HOME', '.local/share'),
    socket: join(env['XDG_RUNTIME_DIR'] || state, 'pegboard-agent.sock'),
  };
}

/** The agent's settings file. The owner of the computer can edit `allow`; flags take precedence. */
const settingsFile = z.object({
  origin: z.string(),
  token: z.string(),
  name: z.string(),
  /** Missing in files of agents that were paired before accounts were recorded. */
  account: z.optional(pairedAccount),
  allow: z.optional(z.partialRecord(z.enum(ABILITY_NAMES), z.boolean())),
});
export type AgentSettings = z.output<typeof settingsFile>;

const getSettingsPath = (folders: AgentFolders): string => join(folders.config, 'agent.json');

/**
 * Reads the settings; undefined before the computer is paired.
 * @throws Refusal if the file is not valid.
 */
export function loadSettings(folders: AgentFolders): AgentSettings | undefined {
  const path = getSettingsPath(folders);
  if (!existsSync(path)) return undefined;
  try {
    return settingsFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (cause) {
    throw new Refusal('agent.settings_unreadable', `${path} cannot be read. Pair this computer again`, { cause });
  }
}

/** Writes the settings atomically, readable only by this user. */
export function saveSettings(folders: AgentFolders, settings: AgentSettings): void {
  const path = getSettingsPath(folders);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileAtomically(path, `${JSON.stringify(settings, undefined, 2)}\n`);
}

/** What is allowed by default: docs/design/reliability.md section 11.1. */
const DEFAULT_ALLOWED: AllowedAbilities = {
  keyboard: true,
  mouse: true,
  sound: true,
  usage: true,
  messages: true,
  notifications: true,
  clipboard: false,
  scripts: false,
  capture: false,
};

export function resolveAllowed(settings: AgentSettings, flags: Partial<AllowedAbilities>): AllowedAbilities {
  return {
    ...DEFAULT_ALLOWED,
    ...Object.fromEntries(Object.entries(settings.allow ?? {}).filter(([, allow]) => allow !== undefined)),
    ...flags,
  };
}

/** Whether the computer's owner has paused the agent; survives restarts. */
export interface PauseSetting {
  readonly isPaused: () => boolean;
  readonly setPaused: (isPaused: boolean) => void;
}

export function openPauseSetting({ state }: AgentFolders): PauseSetting {
  const path = join(state, 'paused');
  let isPaused = existsSync(path);
  return {
    isPaused: () => isPaused,
    setPaused: (next) => {
      isPaused = next;
      if (next) writeFileSync(path, '', { mode: 0o600 });
      else rmSync(path, { force: true });
    },
  };
}
