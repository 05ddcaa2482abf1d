import { expect, onTestFinished, test, vi } from 'vitest';
import { createFakeBus } from '#testing/kits/desktop/fakeBus.ts';
import { createInputPipe, RemoteInputClosedError } from './remoteInput.ts';

const TARGET = { destination: 'test', path: '/test', interface: 'test' };

function createPipe(maxPendingCalls?: number) {
  const sent: string[] = [];
  const answers: (() => void)[] = [];
  const bus = createFakeBus(({ member }, answer) => {
    sent.push(member);
    answers.push(() => answer(null));
  });
  const pipe = createInputPipe({
    bus,
    target: TARGET,
    session: TARGET,
    endMember: 'end',
    ...(maxPendingCalls && { maxPendingCalls }),
  });
  return {
    bus,
    sent,
    send: (member: string) => pipe.send({ member, signature: '', body: [] }),
    answer: () => answers.shift()?.(),
    flush: pipe.flush,
    onClosed: pipe.onClosed,
  };
}

test.each([
  [1, ['a'], ['a', 'b'], ['a', 'b', 'c']],
  [undefined, ['a', 'b', 'c'], ['a', 'b', 'c'], ['a', 'b', 'c']],
])('with at most %s calls without an answer, the others wait in their order', async (maxPendingCalls, ...steps) => {
  const { sent, send, answer, flush } = createPipe(maxPendingCalls);
  for (const member of ['a', 'b', 'c']) send(member);
  const flushing = flush();
  for (const step of steps) {
    expect(sent).toEqual(step);
    answer();
  }
  await flushing;
});

test('a mouse that moves all the time delays no key', async () => {
  const { send, answer, flush } = createPipe();
  send('key');
  const flushing = flush();
  send('motion');
  answer();
  await flushing;
});

test('a slow desktop is waited for, and one that answers nothing is not', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { send, answer, flush } = createPipe(1);
  for (const member of ['a', 'b', 'c']) send(member);
  const flushing = flush();
  for (let count = 0; count < 3; count++) {
    await vi.advanceTimersByTimeAsync(4000);
    answer();
  }
  await flushing;
  send('d');
  await Promise.all([expect(flush()).rejects.toThrow(RemoteInputClosedError), vi.advanceTimersByTimeAsync(5000)]);
});

test('an end is reported, also if it comes before anybody listens', () => {
  const { bus, onClosed } = createPipe();
  bus.connection.emit('message', { ...TARGET, member: 'Closed' });
  let isClosed = false;
  onClosed(() => (isClosed = true));
  expect(isClosed).toBe(true);
});
