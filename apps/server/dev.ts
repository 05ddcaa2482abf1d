// `npm run dev`: reloads pages and restarts the server when their sources change. Open the address of the pages,
// which forwards calls to the server.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { createServer, loadConfigFromFile } from 'vite';
import { readConfig } from './config.ts';

const root = join(import.meta.dirname, '../..');
const config = readConfig(process.env);
const target = `http://127.0.0.1:${config.PORT}`;
/** Files that are saved within this time count as one change. */
const RESTART_DEBOUNCE_MS = 100;

const configFile = join(root, 'vite.config.ts');
const viteConfig = await loadConfigFromFile({ command: 'serve', mode: 'development' }, configFile, root);
/** Redirects the proxy of vite.config.ts from the standard port to the configured one. */
const proxy = Object.fromEntries(
  Object.entries(viteConfig?.config.server?.proxy ?? {}).map(([path, to]) => [
    path,
    typeof to === 'string' ? target : { ...to, target },
  ]),
);

const vite = await createServer({
  configFile,
  root: join(root, 'apps/web'),
  server: { port: 5173, host: config.HOST === '::' ? true : config.HOST, proxy },
});
await vite.listen();
const address = vite.resolvedUrls?.local[0]?.replace(/\/$/, '') ?? '';

const startServer = (): ChildProcess =>
  spawn(process.execPath, [join(root, 'apps/server/main.ts'), '--open-at', address], {
    stdio: 'inherit',
    env: { UV_THREADPOOL_SIZE: '8', ...process.env },
  });

let server = startServer();
let isStopping = false;
let restartTimer: NodeJS.Timeout | undefined;

const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null;

async function stopServer(): Promise<void> {
  if (!isRunning(server)) return;
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  await ended;
}

/** Stops the old server first, because it holds the lock of the data folder. */
async function restart(): Promise<void> {
  await stopServer();
  if (!isStopping) server = startServer();
}

// Not `node --watch`, which sends its own messages into worker threads.
const isServerSource = (path: string): boolean =>
  path.endsWith('.ts') && !/(^|\/)(web|agent|dist)\/|\.(test|e2e)\.ts$/.test(path);
for (const folder of ['apps/server', 'platform', 'tools'])
  watch(join(root, folder), { recursive: true }, (_event, path) => {
    if (path === null || !isServerSource(path)) return;
    clearTimeout(restartTimer);
    restartTimer = setTimeout(() => void restart(), RESTART_DEBOUNCE_MS);
  });

async function stop(): Promise<void> {
  isStopping = true;
  clearTimeout(restartTimer);
  await Promise.all([stopServer(), vite.close()]);
  process.exit(0);
}
process.removeAllListeners('SIGTERM'); // Vite's listener would end this process before the server has stopped
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop());
process.on('exit', () => server.kill('SIGTERM'));
