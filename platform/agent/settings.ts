import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { ABILITY_NAMES } from '#platform/contract/device.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { pairedAccount } from './pairedAccount.ts';
import type { AllowedAbilities } from './tool.ts';

/** Where the agent keeps its things, by the rules of the desktop (XDG base directories). */
export interface AgentFolders {
  /** `agent.json`: server, token, what is allowed. */
  readonly config: string;
  /** Answers, held keys, scripts and their results. */
  readonly state: string;
  /** The installed program. */
  readonly data: string;
  /** The socket by which the agent's other words reach the running one. */
  readonly socket: string;
}

export function getFolders(env: NodeJS.ProcessEnv): AgentFolders {
  const home = env['HOME'] ?? homedir();
  const own = (variable: string, usual: string): string => join(env[variable] || join(home, usual), 'pegboard');
  const state = own('XDG_STATE_HOME', '.local/state');
  return {
    config: own('XDG_CONFIG_HOME', '.config'),
    state,
    data: own('XDG_DATA_HOME', '.local/share'),
    socket: join(env['XDG_RUNTIME_DIR'] || state, 'pegboard-agent.sock'),
  };
}

/** The agent's own file. The owner of the computer may write into `allow`; flags weigh more. */
const settingsFile = z.object({
  origin: z.string(),
  token: z.string(),
  name: z.string(),
  /** Agents of before this was told have none. */
  account: z.optional(pairedAccount),
  allow: z.optional(z.partialRecord(z.enum(ABILITY_NAMES), z.boolean())),
});
export type AgentSettings = z.output<typeof settingsFile>;

const getSettingsPath = (folders: AgentFolders): string => join(folders.config, 'agent.json');

/** Undefined before the computer is paired. @throws Refusal for a file that is none of ours. */
export function loadSettings(folders: AgentFolders): AgentSettings | undefined {
  const path = getSettingsPath(folders);
  if (!existsSync(path)) return undefined;
  try {
    return settingsFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (cause) {
    throw new Refusal(`${path} cannot be read; pair this computer again`, { cause });
  }
}

/** Whole or not at all, and for nobody else to read. */
export function saveSettings(folders: AgentFolders, settings: AgentSettings): void {
  const path = getSettingsPath(folders);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(`${path}.part`, `${JSON.stringify(settings, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.part`, path);
}

/** What is allowed unless the owner of the computer says otherwise (reliability.md section 8). */
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

/** The owner's own stop, kept over restarts. */
export interface PauseSetting {
  readonly isPaused: () => boolean;
  readonly setPaused: (on: boolean) => void;
}

export function openPauseSetting({ state }: AgentFolders): PauseSetting {
  const path = join(state, 'paused');
  let isOn = existsSync(path);
  return {
    isPaused: () => isOn,
    setPaused: (on) => {
      isOn = on;
      if (on) writeFileSync(path, '', { mode: 0o600 });
      else rmSync(path, { force: true });
    },
  };
}
