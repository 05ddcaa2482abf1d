import type { SessionBus } from '@homebridge/dbus-native';
import { expect, test } from 'vitest';
import { matchSignals } from './sessionBus.ts';

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
