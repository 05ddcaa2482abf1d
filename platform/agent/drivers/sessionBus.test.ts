import type { SessionBus } from '@homebridge/dbus-native';
import { expect, test } from 'vitest';
import { createFakeBus } from '#testing/kits/desktop/fakeBus.ts';
import { callBus, isRefusedCall, matchSignals } from './sessionBus.ts';

test('a match rule is added to the bus only once', async () => {
  const rules: string[] = [];
  const bus = {
    connection: { stream: {}, once: () => undefined, off: () => undefined },
    addMatch: (rule: string, done: (error: null) => void) => {
      rules.push(rule);
      done(null);
    },
  } as unknown as SessionBus;
  for (const rule of ['a', 'b', 'a']) await matchSignals(bus, rule);
  expect(rules).toEqual(['a', 'b']);
});

const CALL = { destination: 'test', path: '/test', interface: 'test', member: 'Test' };

test('a call fails as soon as the bus ends', async () => {
  const bus = createFakeBus(() => undefined);
  const calling = callBus(bus, CALL);
  bus.connection.emit('end');
  await expect(calling).rejects.toThrow('the bus has ended');
  expect(await calling.catch(isRefusedCall)).toBe(false);
});

test('a refused call differs from one without an answer', async () => {
  const bus = createFakeBus((_call, answer) => answer({ name: 'org.freedesktop.DBus.Error.ServiceUnknown' }));
  expect(await callBus(bus, CALL).catch(isRefusedCall)).toBe(true);
});
