// `npm start`: checks the version of Node, builds pages and agent if their sources changed, and becomes the server.
// Nothing of the server is imported, as it would be loaded twice.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { COMPILE_CACHE, isBuilt } from './buildStamp.ts';
import { isNodeSupported, MIN_NODE_MAJOR } from './nodeVersion.ts';

if (!isNodeSupported()) {
  process.stderr.write(
    `Pegboard needs Node ${MIN_NODE_MAJOR} or newer, but this is ${process.version}. Start it with npm start\n`,
  );
  process.exit(1);
}

if (!isBuilt()) {
  process.stdout.write('Building the pages and the agent. This takes a few seconds…\n');
  // A separate process, so that the bundler's memory is freed.
  const build = fileURLToPath(new URL('../../build.ts', import.meta.url));
  const { status } = spawnSync(process.execPath, [build], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

const main = fileURLToPath(new URL('main.ts', import.meta.url));
const environment = {
  // Password hashing and the file system share the thread pool.
  UV_THREADPOOL_SIZE: '8',
  // Caches compiled code: later starts take half the time and 30 MB less memory.
  NODE_COMPILE_CACHE: COMPILE_CACHE,
  ...process.env,
};
// Node reads both when a process starts, so replace this process and keep its id. Windows cannot do that.
if (process.platform === 'win32') await import('./main.ts');
else process.execve?.(process.execPath, [process.execPath, main], environment);
