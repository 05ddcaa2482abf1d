import { expect, test } from 'vitest';
import { createFakeDrivers } from '#platform/agent/drivers/fakeDrivers.ts';
import type { AgentContext, AllowedAbilities } from '#platform/agent/tool.ts';
import { readClipboard, writeClipboard } from '../contract.ts';
import { clipboard } from './index.ts';

const allowed: AllowedAbilities = {
  keyboard: true,
  mouse: true,
  sound: true,
  usage: true,
  messages: true,
  notifications: true,
  clipboard: false,
  scripts: true,
  capture: true,
};

function notUsed(): never {
  throw new Error('not used here');
}

test('whatever a server requests, the computer itself refuses what its owner has not allowed', async () => {
  const drivers = createFakeDrivers();
  drivers.copy('secret');
  const context: AgentContext = {
    drivers,
    allowed,
    isConfirmationRequired: false,
    call: notUsed,
    print: notUsed,
    stateDir: '',
    report: notUsed,
    serverNow: () => Promise.reject(new Error('not used here')),
    isPaused: () => false,
    onChange: () => undefined,
    onConnect: () => undefined,
    openHotkeys: () => ({ setHotkeys: () => undefined }),
    onDisconnect: () => undefined,
  };
  const { commands = [] } = clipboard.start(context);
  const run = (name: string, data: unknown) =>
    commands.find(({ command }) => command.name === name)?.run(data as never);
  await expect(run(readClipboard.name, { by: 'anna' })).rejects.toThrow('Turned off on that computer');
  await expect(run(writeClipboard.name, { text: 'x', by: 'anna' })).rejects.toThrow('Turned off on that computer');
  expect(drivers.actions).toEqual([]);
});
