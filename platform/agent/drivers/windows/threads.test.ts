import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** A call into a library that never returns. */
const HUNG_THREAD = `
  require('node:worker_threads').parentPort.postMessage('waiting');
  require('node:ffi').dlopen('libc.so.6', { pause: { arguments: [], return: 'int32' } }).functions.pause();
`;
const PROGRAM = `
  import('${import.meta.resolve('./threads.ts')}').then(({ killIfThreadHangs, startThread }) => {
    const worker = startThread(process.env['THREAD']);
    worker.once('message', (message) => {
      console.log(message);
      setTimeout(() => worker.unref(), 300);
    });
    process.once('exit', killIfThreadHangs);
  });
`;

test.skipIf(process.platform !== 'linux').each([
  ['hangs', HUNG_THREAD, { stdout: 'waiting\n', signal: 'SIGKILL' }],
  ['has ended', '', { stdout: '', status: 0 }],
])(
  'a process ends although a thread of it %s',
  (_, THREAD, expected) => {
    const options = { env: { ...process.env, THREAD }, encoding: 'utf8', timeout: 10_000 } as const;
    expect(spawnSync(process.execPath, ['--eval', PROGRAM], options)).toMatchObject(expected);
  },
  20_000,
);
