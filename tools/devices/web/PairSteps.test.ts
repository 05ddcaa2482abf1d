import { expect, test } from 'vitest';
import { loadWithWindow } from '#testing/kits/browser/loadWithWindow.ts';

const { createPairCommands } = await loadWithWindow(() => import('./PairSteps.tsx'));

test.each([
  'http://192.168.1.20:8300',
  'http://nas.local:8300',
  'https://pegboard.example.com',
  'http://[fd00::1]:8300',
])('the command for %s needs no flag', (origin) =>
  expect(createPairCommands(origin, 'linux')).toEqual({
    npx: `npx ${origin}/agent.tgz pair ${origin}`,
    withoutNpx: [`curl -fO ${origin}/agent.mjs`, `node agent.mjs pair ${origin}`],
    isInsecure: false,
  }),
);

test.each(['http://203.0.113.5:8300', 'http://pegboard.example.com', 'http://[2001:db8::1]:8300'])(
  'every command for %s has --insecure, because the agent would refuse it otherwise',
  (origin) =>
    expect(createPairCommands(origin, 'linux')).toEqual({
      npx: `npx ${origin}/agent.tgz pair ${origin} --insecure`,
      withoutNpx: [`curl -fO ${origin}/agent.mjs`, `node agent.mjs pair ${origin} --insecure`],
      isInsecure: true,
    }),
);

test('the commands for Windows work in PowerShell, which blocks npx.ps1 and has another curl', () => {
  const origin = 'http://192.168.1.20:8300';
  expect(createPairCommands(origin, 'windows')).toEqual({
    npx: `npx.cmd ${origin}/agent.tgz pair ${origin}`,
    withoutNpx: [`curl.exe -fO ${origin}/agent.mjs`, `node agent.mjs pair ${origin}`],
    isInsecure: false,
  });
});

test('the commands for macOS are those for Linux', () => {
  const origin = 'http://192.168.1.20:8300';
  expect(createPairCommands(origin, 'macos')).toEqual(createPairCommands(origin, 'linux'));
});
