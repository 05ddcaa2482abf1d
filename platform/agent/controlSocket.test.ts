import { statSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Refusal } from '#platform/contract/refusal.ts';
import { createTempFolderSync } from '#testing/kits/server/tempFolder.ts';
import { requestFromRunningAgent, openControlSocket } from './controlSocket.ts';

function createSocketPath(): string {
  const folder = createTempFolderSync();
  return join(folder, 'agent.sock');
}

test('a subcommand reaches the running agent and its lines are returned', async () => {
  const path = createSocketPath();
  await using control = await openControlSocket(path, async ({ word, text }) => [word, text ?? '']);
  expect(control).toBeDefined();
  expect(await requestFromRunningAgent(path, { word: 'send', text: 'hé' })).toEqual({
    done: true,
    lines: ['send', 'hé'],
  });
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a refusal is returned as a refusal', async () => {
  const path = createSocketPath();
  await using _ = await openControlSocket(path, () => Promise.reject(new Refusal('test.refused', 'Not now')));
  expect(await requestFromRunningAgent(path, { word: 'release' })).toEqual({ done: false, lines: ['Not now'] });
});

test('only one agent runs at a time, and a killed one does not block the next', async () => {
  const path = createSocketPath();
  writeFileSync(path, '');
  const first = await openControlSocket(path, async () => []);
  expect(first).toBeDefined();
  expect(await openControlSocket(path, async () => [])).toBeUndefined();
  await first?.[Symbol.asyncDispose]();
  expect(await requestFromRunningAgent(path, { word: 'status' })).toBeUndefined();
  const second = await openControlSocket(path, async () => []);
  expect(second).toBeDefined();
  await second?.[Symbol.asyncDispose]();
});

test.each(['nonsense\n', '{"word":"format"}\n', `${'x'.repeat(100_000)}\n`, ''])(
  'an invalid request does no harm',
  async (line) => {
    const path = createSocketPath();
    await using _ = await openControlSocket(path, async () => ['done']);
    await new Promise<void>((done) => {
      const socket = createConnection(path, () => socket.end(line));
      socket.on('error', () => undefined);
      socket.on('close', () => done());
      socket.resume();
    });
    expect(await requestFromRunningAgent(path, { word: 'status' })).toEqual({ done: true, lines: ['done'] });
  },
);
