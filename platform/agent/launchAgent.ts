// Starts the agent with the desktop of macOS, by launchd.
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { dirname, join, sep } from 'node:path';
import type { ServiceOptions } from './service.ts';
import type { AgentFolders } from './settings.ts';

const LABEL = 'org.pegboard.agent';
/** Where Homebrew puts ffmpeg: launchd's own PATH has only the programs of macOS. */
const HOMEBREW_FOLDERS = ['/opt/homebrew/bin', '/usr/local/bin'];
const SYSTEM_PATH = '/usr/bin:/bin:/usr/sbin:/sbin';

/** launchd may still be ending the previous agent. */
const MAX_START_ATTEMPTS = 5;
const START_RETRY_MS = 500;

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

type PropertyListValue = string | boolean | readonly string[] | { readonly [key: string]: PropertyListValue };

function formatValue(value: PropertyListValue): string {
  if (typeof value === 'string') return `<string>${escapeXml(value)}</string>`;
  if (typeof value === 'boolean') return value ? '<true/>' : '<false/>';
  if (Array.isArray(value)) return `<array>${value.map(formatValue).join('')}</array>`;
  return `<dict>${Object.entries(value)
    .map(([key, item]) => `<key>${escapeXml(key)}</key>${formatValue(item)}`)
    .join('\n')}</dict>`;
}

/** Formats launchd's description of the agent. */
export function formatLaunchAgent(command: readonly string[], logPath: string, path: string): string {
  const description = formatValue({
    Label: LABEL,
    ProgramArguments: command,
    EnvironmentVariables: { PATH: path },
    RunAtLoad: true,
    KeepAlive: { SuccessfulExit: false },
    // Only where there is a desktop, and not slowed down as work in the background.
    LimitLoadToSessionType: 'Aqua',
    ProcessType: 'Interactive',
    StandardOutPath: logPath,
    StandardErrorPath: logPath,
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
${description}
</plist>
`;
}

function getPaths(env: NodeJS.ProcessEnv) {
  const library = join(env['HOME'] ?? homedir(), 'Library');
  return {
    description: join(library, 'LaunchAgents', `${LABEL}.plist`),
    log: join(library, 'Logs', 'Pegboard agent.log'),
  };
}

const DOMAIN = `gui/${userInfo().uid}`;

const runLaunchctl = (env: NodeJS.ProcessEnv, ...args: readonly string[]): boolean =>
  spawnSync('launchctl', [...args], { env, stdio: 'ignore' }).status === 0;

/** Blocks: the command line has nothing else to do. */
const pause = (milliseconds: number): void =>
  void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);

function start(env: NodeJS.ProcessEnv, description: string): boolean {
  for (let attempt = 0; attempt < MAX_START_ATTEMPTS; attempt++) {
    if (attempt > 0) pause(START_RETRY_MS);
    if (runLaunchctl(env, 'bootstrap', DOMAIN, description)) return true;
  }
  return false;
}

/** Returns the paths of the copies of the agent and of Node. */
const getCopyPaths = ({ data }: AgentFolders) => ({ agent: join(data, 'agent.mjs'), node: join(data, 'node') });

/** Copies the agent, and Node if npm may remove it again. Returns the command that runs the copy. */
function copyPrograms({ folders, agentFile, flags }: ServiceOptions): readonly string[] {
  const { agent, node } = getCopyPaths(folders);
  mkdirSync(folders.data, { recursive: true, mode: 0o700 });
  if (agentFile !== agent) copyFileSync(agentFile, agent);
  const isFromNpm = process.execPath.includes(`${sep}node_modules${sep}`);
  if (isFromNpm) {
    copyFileSync(process.execPath, `${node}.part`);
    chmodSync(`${node}.part`, 0o755);
    renameSync(`${node}.part`, node);
  }
  const program = isFromNpm ? node : process.execPath;
  return [program, '--disable-warning=ExperimentalWarning', agent, 'run', ...flags, '--service'];
}

/** Makes launchd run the agent, now and with each login. Returns lines that say what was done. */
export function installLaunchAgent(options: ServiceOptions): readonly string[] {
  const { env } = options;
  const command = copyPrograms(options);
  const { description, log } = getPaths(env);
  for (const path of [description, log]) mkdirSync(dirname(path), { recursive: true });
  const folders = new Set([...(env['PATH'] ?? SYSTEM_PATH).split(':'), ...HOMEBREW_FOLDERS]);
  writeFileSync(description, formatLaunchAgent(command, log, [...folders].join(':')));
  runLaunchctl(env, 'bootout', `${DOMAIN}/${LABEL}`); // fails if none is running
  const isStarted = start(env, description);
  return [
    `The agent will start with the desktop (${description})`,
    isStarted ? 'It is running now' : `It could not be started. Look into ${log} to see why`,
    `macOS must permit ${command[0]} to control this computer. Run \`status\` to see what is missing`,
  ];
}

/** Reverts `installLaunchAgent`; the computer stays paired. */
export function uninstallLaunchAgent({ env, folders }: Pick<ServiceOptions, 'env' | 'folders'>): readonly string[] {
  const { description } = getPaths(env);
  if (existsSync(description)) runLaunchctl(env, 'bootout', `${DOMAIN}/${LABEL}`);
  for (const path of [description, ...Object.values(getCopyPaths(folders))]) rmSync(path, { force: true });
  return ['The agent no longer starts with the desktop. This Mac stays paired until you revoke it in the settings'];
}
