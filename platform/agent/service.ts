import { spawnSync } from 'node:child_process';
import { chmodSync, constants, copyFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, sep } from 'node:path';
import { formatKdeEntry, getKdeEntryPath } from './drivers/kde/desktopEntry.ts';
import { installLaunchAgent, uninstallLaunchAgent } from './launchAgent.ts';
import type { AgentFolders } from './settings.ts';

/** Exit code for a permanent end: the token was revoked, or another agent took over. The unit does not restart then. */
export const EXIT_CODE_NO_RESTART = 78;
/** Makes launchd restart the agent, as every code but 0 does. */
const EXIT_CODE_RESTART = 75;

/**
 * Converts the agent's exit code to the one that makes the service manager restart it after an update, and not after
 * its end. systemd knows the agent's own codes; launchd restarts after every code but 0.
 */
export function toServiceExitCode(
  code: number,
  { isService, isUpdated }: { readonly isService: boolean; readonly isUpdated: boolean },
  platform = process.platform,
): number {
  if (!isService || platform !== 'darwin') return code;
  if (code === EXIT_CODE_NO_RESTART) return 0;
  return code === 0 && isUpdated ? EXIT_CODE_RESTART : code;
}

const UNIT = 'pegboard-agent.service';
/** Environment variables of the desktop session that the agent needs. */
const SESSION_VARIABLES = ['DISPLAY', 'XAUTHORITY', 'WAYLAND_DISPLAY', 'XDG_SESSION_TYPE', 'DBUS_SESSION_BUS_ADDRESS'];

/** Lets the agent's threads share one malloc arena of the C library. One arena per thread takes 5 MB more. */
export const SERVICE_ENVIRONMENT = { MALLOC_ARENA_MAX: '1' } as const;
const ENVIRONMENT_COMMAND = [
  '/usr/bin/env',
  ...Object.entries(SERVICE_ENVIRONMENT).map(([name, value]) => `${name}=${value}`),
];

export interface ServiceOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly folders: AgentFolders;
  /** Path of the running agent's file. */
  readonly agentFile: string;
  /** Flags of the computer's owner. They are stored in the unit, so the server can't set any. */
  readonly flags: readonly string[];
}

function getServicePaths(env: NodeJS.ProcessEnv) {
  const config = env['XDG_CONFIG_HOME'] || join(env['HOME'] ?? homedir(), '.config');
  return { unit: join(config, 'systemd', 'user', UNIT), desktop: join(config, 'autostart', 'pegboard-agent.desktop') };
}

const runSystemctl = (env: NodeJS.ProcessEnv, ...args: readonly string[]): boolean =>
  spawnSync('systemctl', ['--user', ...args], { env, stdio: 'ignore' }).status === 0;

/** Quotes an argument for the command line of a unit, escaping systemd's special characters. */
export function quoteForUnit(arg: string): string {
  return `"${arg.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`;
}

/** Quotes an argument for the Exec line of a desktop entry: first by its own rules, then as a value of the file. */
export function quoteForDesktopEntry(arg: string): string {
  return `"${arg.replaceAll(/["`$\\]/g, '\\$&').replaceAll('%', '%%')}"`.replaceAll('\\', '\\\\');
}

const formatUnit = (command: readonly string[]): string => `[Unit]
Description=Pegboard agent

[Service]
ExecStart=${command.map(quoteForUnit).join(' ')}
Restart=always
RestartSec=2
RestartPreventExitStatus=${EXIT_CODE_NO_RESTART}
KillMode=mixed
TimeoutStopSec=20
`;

const formatDesktopEntry = (command: readonly string[]): string => `[Desktop Entry]
Type=Application
Name=Pegboard agent
Comment=Lets your own pages type on this computer
Exec=${command.map(quoteForDesktopEntry).join(' ')}
NoDisplay=true
X-GNOME-Autostart-enabled=true
`;

/** Name of the agent's own copy of Node on KDE. */
const KDE_PROGRAM = 'pegboard-agent';
const isKde = (env: NodeJS.ProcessEnv): boolean => (env['XDG_CURRENT_DESKTOP'] ?? '').split(':').includes('KDE');

/**
 * Returns the Node program for the agent. A Node that npm installed is copied, because npm may remove it again. On KDE
 * every Node is copied: KWin lets a program type with all its scripts, so it must not be the system's.
 */
function copyNode(folders: AgentFolders, env: NodeJS.ProcessEnv): string {
  if (!isKde(env) && !process.execPath.includes(`${sep}node_modules${sep}`)) return process.execPath;
  const copy = join(folders.data, isKde(env) ? KDE_PROGRAM : 'node');
  copyFileSync(process.execPath, `${copy}.part`, constants.COPYFILE_FICLONE);
  chmodSync(`${copy}.part`, 0o755);
  renameSync(`${copy}.part`, copy);
  return copy;
}

function writeFileInFolder(path: string, text: string): void {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
}

/** Lets KWin accept keys and clicks from a program, with every script that it runs. */
export function writeKdeEntry(env: NodeJS.ProcessEnv, program: string): void {
  const path = getKdeEntryPath(env);
  writeFileInFolder(`${path}.part`, formatKdeEntry(quoteForDesktopEntry(program)));
  renameSync(`${path}.part`, path);
  // KWin reads entries from a cache. Plasma 5 and 6 have different programs that update it, and without a desktop none.
  for (const command of ['kbuildsycoca6', 'kbuildsycoca5']) spawnSync(command, { env, stdio: 'ignore' });
}

/** Makes the agent start with the desktop. Returns lines that say what was done. */
export function installService(options: ServiceOptions, platform = process.platform): readonly string[] {
  if (platform === 'darwin') return installLaunchAgent(options);
  const { env, folders, agentFile, flags } = options;
  mkdirSync(folders.data, { recursive: true, mode: 0o700 });
  const file = join(folders.data, 'agent.mjs');
  if (agentFile !== file) copyFileSync(agentFile, file);
  const program = copyNode(folders, env);
  const lines: string[] = [];
  if (isKde(env)) {
    writeKdeEntry(env, program);
    lines.push(`KDE accepts keys and clicks from ${program} from now on (${getKdeEntryPath(env)})`);
  }
  const command = [...ENVIRONMENT_COMMAND, program, '--disable-warning=ExperimentalWarning', file, 'run', ...flags];
  const { unit, desktop } = getServicePaths(env);
  if (!runSystemctl(env, 'show-environment')) {
    writeFileInFolder(desktop, formatDesktopEntry([...command, '--autostart']));
    return [...lines, `systemd is not available for this user. The agent will start with the desktop (${desktop})`];
  }
  writeFileInFolder(unit, formatUnit([...command, '--service']));
  const start = `systemctl --user import-environment ${SESSION_VARIABLES.join(' ')}; exec systemctl --user restart ${UNIT}`;
  writeFileInFolder(desktop, formatDesktopEntry(['sh', '-c', start]));
  runSystemctl(env, 'daemon-reload');
  runSystemctl(env, 'import-environment', ...SESSION_VARIABLES.filter((name) => env[name] !== undefined));
  const isStarted = runSystemctl(env, 'restart', UNIT);
  return [
    ...lines,
    `The agent will start with the desktop (${desktop}) as ${UNIT}`,
    isStarted ? 'It is running now' : `It could not be started. Run systemctl --user status ${UNIT} to see why`,
  ];
}

/** Reverts `installService`; the computer stays paired. */
export function uninstallService(
  { env, folders }: Pick<ServiceOptions, 'env' | 'folders'>,
  platform = process.platform,
): readonly string[] {
  if (platform === 'darwin') return uninstallLaunchAgent({ env, folders });
  const { unit, desktop } = getServicePaths(env);
  if (existsSync(unit)) runSystemctl(env, 'stop', UNIT);
  const programs = ['agent.mjs', 'node', KDE_PROGRAM].map((name) => join(folders.data, name));
  for (const path of [unit, desktop, getKdeEntryPath(env), ...programs]) rmSync(path, { force: true });
  runSystemctl(env, 'daemon-reload');
  return [
    'The agent no longer starts with the desktop. This computer stays paired until you revoke it in the settings',
  ];
}
