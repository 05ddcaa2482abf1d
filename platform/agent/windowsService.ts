import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { win32 } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '#platform/contract/refusal.ts';
import { requestFromRunningAgent } from './controlSocket.ts';
import { decodeWideText, encodeWideText, openAdvapi32 } from './drivers/windows/libraries.ts';
import type { ServiceOptions } from './service.ts';
import type { AgentFolders } from './settings.ts';

/** Windows starts the commands in this key of the registry when the user logs in. */
const RUN_KEY = String.raw`Software\Microsoft\Windows\CurrentVersion\Run`;
const RUN_NAME = 'Pegboard agent';
/** Windows ignores longer commands. */
const MAX_COMMAND_LENGTH = 260;
const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 20_000;
const RETRY_DELAY_MS = 200;
const BACKGROUND_VARIABLE = 'PEGBOARD_BACKGROUND';

/** Constants and return codes of the registry's functions. */
const CURRENT_USER = 0xffff_ffff_8000_0001n;
const TEXT_VALUE = 1;
const ONLY_TEXT = 2;
const NOT_FOUND = 2;
const MAX_VALUE_BYTES = 64 * 1024;

function requireSuccess(code: number): void {
  if (code !== 0) throw new Error(`Windows refused access to the registry (code ${code})`);
}

/** Sets a text of the user in the registry. */
function setUserValue(key: string, name: string, value: string): void {
  const data = encodeWideText(value);
  const { RegSetKeyValueW } = openAdvapi32();
  requireSuccess(
    RegSetKeyValueW(CURRENT_USER, encodeWideText(key), encodeWideText(name), TEXT_VALUE, data, data.length),
  );
}

/** Reads a text of the user from the registry; undefined if there is none. */
function getUserValue(key: string, name: string): string | undefined {
  const data = Buffer.alloc(MAX_VALUE_BYTES);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(data.length);
  const { RegGetValueW } = openAdvapi32();
  const code = RegGetValueW(CURRENT_USER, encodeWideText(key), encodeWideText(name), ONLY_TEXT, null, data, size);
  if (code === NOT_FOUND) return undefined;
  requireSuccess(code);
  return decodeWideText(data.subarray(0, size.readUInt32LE(0)));
}

/** Removes a value of the user from the registry, if it exists. */
function removeUserValue(key: string, name: string): void {
  const code = openAdvapi32().RegDeleteKeyValueW(CURRENT_USER, encodeWideText(key), encodeWideText(name));
  if (code !== NOT_FOUND) requireSuccess(code);
}

/** Quotes an argument for a command line of Windows, by the rules of the C library. */
export function quoteForCommandLine(arg: string): string {
  if (/^[^\s"]+$/.test(arg)) return arg;
  return `"${arg.replaceAll(/(\\*)"/g, String.raw`$1$1\"`).replace(/(\\+)$/, '$1$1')}"`;
}

/** Whether this process was started by `startInBackground`. */
export function isInBackground(env: NodeJS.ProcessEnv): boolean {
  return env[BACKGROUND_VARIABLE] !== undefined;
}

/** Starts the agent as a process of its own, without the window that Windows opens for programs such as Node. */
export function startInBackground(node: string, agentFile: string, args: readonly string[]): void {
  const child = spawn(node, ['--disable-warning=ExperimentalWarning', agentFile, ...args], {
    detached: true,
    windowsHide: true,
    stdio: 'ignore',
    env: { ...process.env, [BACKGROUND_VARIABLE]: '1' },
  });
  child.on('error', () => undefined); // the caller notices that it doesn't answer
  child.unref();
}

/** Asks the running agent to stop, and waits until it has, as Windows has no signal for that. */
async function stopRunningAgent(folders: AgentFolders): Promise<void> {
  const deadline = performance.now() + STOP_TIMEOUT_MS;
  while (await requestFromRunningAgent(folders.socket, { word: 'stop' })) {
    if (performance.now() > deadline)
      throw new Refusal('agent.no_response', 'The running agent does not stop. Log out and in, then try again');
    await sleep(RETRY_DELAY_MS);
  }
}

/** Waits until the agent that was just started answers. Returns false if it does not. */
async function waitForAgent(folders: AgentFolders): Promise<boolean> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (!(await requestFromRunningAgent(folders.socket, { word: 'status' }))) {
    if (performance.now() > deadline) return false;
    await sleep(RETRY_DELAY_MS);
  }
  return true;
}

/** Retries what fails while a program that has just ended still has the file open. */
async function retryWhileOpen(task: () => void): Promise<void> {
  const deadline = performance.now() + STOP_TIMEOUT_MS;
  for (;;) {
    try {
      return task();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(RETRY_DELAY_MS);
    }
  }
}

/** Returns the Node program for the agent. A Node that npm installed is copied, because npm may remove it again. */
const getNodePath = (folders: AgentFolders): string =>
  process.execPath.includes('\\node_modules\\') ? win32.join(folders.data, 'node.exe') : process.execPath;

async function copyNode(path: string): Promise<void> {
  if (path === process.execPath) return;
  await retryWhileOpen(() => {
    copyFileSync(process.execPath, `${path}.part`);
    renameSync(`${path}.part`, path);
  });
}

/**
 * Makes the agent start with the desktop of Windows, and starts it. Returns lines that say what was done.
 * @throws Refusal before anything has changed, if the flags are too long.
 */
export async function installWindowsService(options: Omit<ServiceOptions, 'env'>): Promise<readonly string[]> {
  const { folders, agentFile, flags } = options;
  const file = win32.join(folders.data, 'agent.mjs');
  const node = getNodePath(folders);
  const args = ['run', ...flags, '--autostart'];
  const command = [node, file, ...args].map(quoteForCommandLine).join(' ');
  if (command.length > MAX_COMMAND_LENGTH)
    throw new Refusal(
      'agent.command_too_long',
      `Windows can't start the agent with so many flags. Put what you allow into ${win32.join(folders.config, 'agent.json')} instead`,
    );
  await stopRunningAgent(folders);
  mkdirSync(folders.data, { recursive: true });
  if (agentFile !== file) copyFileSync(agentFile, file);
  await copyNode(node);
  setUserValue(RUN_KEY, RUN_NAME, command);
  startInBackground(node, file, args);
  const isStarted = await waitForAgent(folders);
  return [
    'The agent will start when you log in to Windows',
    isStarted ? 'It is running now' : 'It could not be started. Run the agent with `run` to see why',
  ];
}

/** Reverts `installWindowsService`; the computer stays paired. */
export async function uninstallWindowsService(folders: AgentFolders): Promise<readonly string[]> {
  if (getUserValue(RUN_KEY, RUN_NAME) !== undefined) await stopRunningAgent(folders);
  removeUserValue(RUN_KEY, RUN_NAME);
  for (const name of ['agent.mjs', 'node.exe'])
    await retryWhileOpen(() => rmSync(win32.join(folders.data, name), { force: true }));
  return ['The agent no longer starts when you log in. This computer stays paired until you revoke it in the settings'];
}
