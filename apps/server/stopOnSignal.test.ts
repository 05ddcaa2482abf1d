import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';

/** A server that reports its stop, and then runs `stop`. */
async function startStoppingServer(stop: string) {
  const text = `
    import { stopOnSignal } from ${JSON.stringify(join(import.meta.dirname, 'stopOnSignal.ts'))};
    const print = (line) => process.stdout.write(line + '\\n');
    stopOnSignal({ log: { info: print, error: print, fatal: print }, stop: async () => { print('stopping'); ${stop} } });
    setInterval(() => undefined, 1000);
    print('started');
  `;
  const server = spawn(process.execPath, ['--input-type=module', '-e', text], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void server.kill('SIGKILL'));
  let message = '';
  server.stdout.setEncoding('utf8').on('data', (chunk: string) => void (message += chunk));
  const exited = once(server, 'close') as Promise<[number | null]>;
  await expect.poll(() => message).toContain('started');
  server.kill('SIGTERM');
  await expect.poll(() => message).toContain('stopping');
  return { server, code: async () => (await exited)[0], message: () => message };
}

test('a stop that hangs is ended by the watchdog', async () => {
  const { code, message } = await startStoppingServer('await new Promise(() => undefined);');
  expect(await code()).toBe(1);
  expect(message()).toContain('server.stop.timeout');
});

test('suspending the computer during a stop does not count as a hang', async () => {
  const { server, code } = await startStoppingServer(
    'for (let step = 0; step < 10; step += 1) await new Promise((done) => setTimeout(done, 100));',
  );
  server.kill('SIGSTOP');
  await delay(6000);
  server.kill('SIGCONT');
  expect(await code()).toBe(0);
});
