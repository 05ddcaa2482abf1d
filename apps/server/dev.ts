// `npm run dev`: the pages reload and the server restarts as their sources change. One address to open: the pages', which hand calls on to the server.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { createServer, loadConfigFromFile } from 'vite';
import { readConfig } from './config.ts';

const root = join(import.meta.dirname, '../..');
const config = readConfig(process.env);
const target = `http://127.0.0.1:${config.PORT}`;
/** Several files saved at once are one change. */
const QUIET_MS = 100;

const configFile = join(root, 'vite.config.ts');
const written = await loadConfigFromFile({ command: 'serve', mode: 'development' }, configFile, root);
/** What vite.config.ts hands on to a server on the standard port, handed on to this one. */
const proxy = Object.fromEntries(
  Object.entries(written?.config.server?.proxy ?? {}).map(([path, to]) => [
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
let waiting: NodeJS.Timeout | undefined;

const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null;

const end = async (): Promise<void> => {
  if (!isRunning(server)) return;
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  await ended;
};

/** The old one first: it holds the lock of the data folder. */
const restart = async (): Promise<void> => {
  await end();
  if (!isStopping) server = startServer();
};

// Not `node --watch`: it sends messages of its own into the threads of what it runs.
const isServerSource = (path: string): boolean =>
  path.endsWith('.ts') && !/(^|\/)(web|agent|dist)\/|\.(test|e2e)\.ts$/.test(path);
for (const folder of ['apps/server', 'platform', 'tools'])
  watch(join(root, folder), { recursive: true }, (_event, path) => {
    if (path === null || !isServerSource(path)) return;
    clearTimeout(waiting);
    waiting = setTimeout(() => void restart(), QUIET_MS);
  });

const stop = async (): Promise<void> => {
  isStopping = true;
  clearTimeout(waiting);
  await Promise.all([end(), vite.close()]);
  process.exit(0);
};
process.removeAllListeners('SIGTERM'); // Vite's own would end this process before the server has stopped
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop());
process.on('exit', () => server.kill('SIGTERM'));
