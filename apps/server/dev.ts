// `npm run dev`: the pages reload and the server restarts as their sources change. One address to open: the pages', which hand calls on to the server.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';
import { readConfig } from './config.ts';

const config = readConfig(process.env);
const target = `http://127.0.0.1:${config.PORT}`;
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const vite = await createServer({
  configFile: here('../../vite.config.ts'),
  root: here('../web'),
  server: {
    port: 5173,
    host: config.HOST === '::' ? true : config.HOST,
    proxy: {
      '/api': { target, ws: true },
      '/agent.mjs': target,
      '/agent.tgz': target,
      '/healthz': target,
      '/readyz': target,
    },
  },
});
await vite.listen();
const address = vite.resolvedUrls?.local[0]?.replace(/\/$/, '') ?? '';

const server = spawn(process.execPath, ['--watch-preserve-output', '--watch', here('main.ts'), '--open-at', address], {
  stdio: 'inherit',
  env: { UV_THREADPOOL_SIZE: '8', ...process.env, NODE_ENV: 'development' },
});
server.on('exit', (code) => {
  void vite.close().finally(() => process.exit(code ?? 1));
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => server.kill(signal));
