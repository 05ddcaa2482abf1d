// `npm start`: checks the Node, builds what the pages and the agent need where their sources changed, and becomes the server.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { minimumNodeMajor } from './assemble.ts';
import { COMPILE_CACHE, isBuilt } from './buildStamp.ts';

if (Number(process.versions.node.split('.')[0]) < minimumNodeMajor) {
  process.stderr.write(
    `Pegboard needs Node ${minimumNodeMajor} or newer, this is ${process.version}. Start it with npm start.\n`,
  );
  process.exit(1);
}

if (!isBuilt()) {
  process.stdout.write('Building the pages and the agent, this takes some seconds…\n');
  // A process of its own: the bundler's memory goes with it.
  const build = fileURLToPath(new URL('../../build.ts', import.meta.url));
  const { status } = spawnSync(process.execPath, [build], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

const main = fileURLToPath(new URL('main.ts', import.meta.url));
const environment = {
  // Password hashing and the disk share the pool of threads.
  UV_THREADPOOL_SIZE: '8',
  // Keeps what was compiled: half the time to start and 30 MB less in memory from the second start on.
  NODE_COMPILE_CACHE: COMPILE_CACHE,
  ...process.env,
};
// Both are read when a process begins, so this one becomes the server by beginning anew, with its id kept. Windows cannot.
if (process.platform === 'win32') await import('./main.ts');
else process.execve?.(process.execPath, [process.execPath, main], environment);
