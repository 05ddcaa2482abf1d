// Loaded into a server with `--import`: at SIGUSR2 it writes its memory after a garbage collection to `MEMORY_PROBE`.
import { renameSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

const path = process.env['MEMORY_PROBE'] ?? '';

if (isMainThread) {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  process.on('SIGUSR2', () => {
    collectGarbage();
    writeFileSync(`${path}.new`, JSON.stringify(process.memoryUsage()));
    renameSync(`${path}.new`, path);
  });
}
