import type { DBusCall, SessionBus } from '@homebridge/dbus-native';
import { expect, test } from 'vitest';
import { createInputPipe } from './remoteInput.ts';

const TARGET = { destination: 'test', path: '/test', interface: 'test' };

test.each([
  [1, ['a'], ['a', 'b'], ['a', 'b', 'c']],
  [undefined, ['a', 'b', 'c'], ['a', 'b', 'c'], ['a', 'b', 'c']],
])('with at most %s calls without an answer, the others wait in their order', async (maxPendingCalls, ...steps) => {
  const sent: string[] = [];
  const answers: (() => void)[] = [];
  const bus = {
    connection: { on: () => undefined, off: () => undefined },
    invoke: ({ member }: DBusCall, done: (error: null) => void) => {
      sent.push(member);
      answers.push(() => done(null));
    },
  } as unknown as SessionBus;
  const pipe = createInputPipe({
    bus,
    target: TARGET,
    session: TARGET,
    endMember: 'end',
    ...(maxPendingCalls && { maxPendingCalls }),
  });
  for (const member of ['a', 'b', 'c']) pipe.send({ member, signature: '', body: [] });
  const flushing = pipe.flush();
  for (const step of steps) {
    expect(sent).toEqual(step);
    answers.shift()?.();
  }
  await flushing;
});
