import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { MAX_COMMAND_AGE_MS } from '#platform/contract/command.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { typeText } from '#tools/remote/contract.ts';
import {
  openAnswerStore,
  type AnswerStore,
  createCommandQueue,
  AGENT_PAUSED_MESSAGE,
  type CommandAnswer,
} from './commandQueue.ts';
import { handleCommand } from './tool.ts';

const NOW = 1_800_000_000_000;

/** The commands of an agent that records what it types; `restart` simulates a restart. */
function createAgent(type: (text: string, onProgress: () => void) => Promise<void> = async () => undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-commands-'));
  const typed: string[] = [];
  const lines: string[] = [];
  let answers: AnswerStore = openAnswerStore(folder);
  let isPaused = false;
  let now = NOW;
  const progress: (readonly string[])[] = [];
  onTestFinished(() => {
    answers.close();
    rmSync(folder, { recursive: true });
  });
  const handlers = [
    handleCommand(typeText, async ({ text }, onProgress) => {
      typed.push(text);
      await type(text, onProgress ?? (() => undefined));
      return { dropped: [] };
    }),
  ];
  const createQueue = () =>
    createCommandQueue({
      handlers,
      answers,
      serverNow: async () => now,
      onProgress: (ids) => void progress.push(ids),
      isPaused: () => isPaused,
      print: (line) => void lines.push(line),
    });
  let runCommand = createQueue();
  return {
    typed,
    lines,
    progress,
    advance: (ms: number) => {
      now += ms;
    },
    run: (raw: unknown): Promise<CommandAnswer> => runCommand(raw),
    pause: (on: boolean) => {
      isPaused = on;
    },
    restart: () => {
      answers.close();
      answers = openAnswerStore(folder);
      runCommand = createQueue();
    },
    answers: () => answers,
  };
}

const createCommand = (id: string, text: string, sentAt = NOW) => ({ id, name: 'type', sentAt, data: { text } });
const DONE = { message: 'ok', dropped: [] };

test('a repeated id runs once and gets the same answer, concurrently and after a restart', async () => {
  const agent = createAgent();
  expect(await agent.run(createCommand('1', 'a'))).toEqual(DONE);
  expect(await agent.run(createCommand('1', 'a'))).toEqual(DONE);
  agent.restart();
  expect(await agent.run(createCommand('1', 'a'))).toEqual(DONE);
  expect(agent.typed).toEqual(['a']);
});

test('a repeated id that is still running is waited for, not run again', async () => {
  const gate = Promise.withResolvers<void>();
  const agent = createAgent(() => gate.promise);
  const pending = [agent.run(createCommand('1', 'a')), agent.run(createCommand('1', 'a'))];
  gate.resolve();
  expect(await Promise.all(pending)).toEqual([DONE, DONE]);
  expect(agent.typed).toEqual(['a']);
});

test('a command that an agent started but did not end is not run by the next one', async () => {
  const agent = createAgent();
  agent.answers().markStarted('1');
  agent.restart();
  const { message } = await agent.run(createCommand('1', 'a'));
  expect(message).toMatch(/will not be repeated/);
  expect(agent.typed).toEqual([]);
});

test('a command that is too late is refused and not typed, and may be sent again', async () => {
  const agent = createAgent();
  expect(await agent.run(createCommand('1', 'a', NOW - MAX_COMMAND_AGE_MS - 1))).toEqual({
    message: 'too late',
    code: 'device.command_too_late',
  });
  expect(agent.typed).toEqual([]);
  expect(await agent.run(createCommand('1', 'a', NOW))).toEqual(DONE);
});

test('a command that waits for one that makes progress is run, and the server is notified of both', async () => {
  const gate = Promise.withResolvers<void>();
  const started = Promise.withResolvers<() => void>();
  const agent = createAgent(async (text, onProgress) => {
    if (text !== 'long') return;
    started.resolve(onProgress);
    await gate.promise;
  });
  const pending = [agent.run(createCommand('1', 'long')), agent.run(createCommand('2', 'b'))];
  const reportProgress = await started.promise;
  agent.advance(MAX_COMMAND_AGE_MS * 2);
  reportProgress();
  gate.resolve();
  expect(await Promise.all(pending)).toEqual([DONE, DONE]);
  expect(agent.progress).toEqual([['1', '2']]);
  expect(await agent.run(createCommand('3', 'late'))).toEqual({
    message: 'too late',
    code: 'device.command_too_late',
  });
});

test('a command that waits for one that makes no progress is too late', async () => {
  const gate = Promise.withResolvers<void>();
  const agent = createAgent((text) => (text === 'long' ? gate.promise : Promise.resolve()));
  const pending = [agent.run(createCommand('1', 'long')), agent.run(createCommand('2', 'b'))];
  await new Promise((done) => setImmediate(done));
  agent.advance(MAX_COMMAND_AGE_MS * 2);
  gate.resolve();
  expect(await Promise.all(pending)).toEqual([DONE, { message: 'too late', code: 'device.command_too_late' }]);
});

test('a paused agent refuses immediately and types nothing', async () => {
  const agent = createAgent();
  agent.pause(true);
  expect(await agent.run(createCommand('1', 'a'))).toEqual({ message: AGENT_PAUSED_MESSAGE, code: 'agent.paused' });
  agent.pause(false);
  expect(await agent.run(createCommand('1', 'a'))).toEqual(DONE);
  expect(agent.typed).toEqual(['a']);
});

test('a text that is being typed when the agent is paused ends there, and the answer says so', async () => {
  let partCount = 0;
  const agent = createAgent(async (_, onProgress) => {
    for (partCount = 1; partCount < 100; partCount += 1) {
      onProgress();
      if (partCount === 3) agent.pause(true);
    }
  });
  expect(await agent.run(createCommand('1', 'a long text'))).toMatchObject({ code: 'agent.paused_meanwhile' });
  expect(partCount).toBe(4);
});

test('commands run one after another in the order of arrival', async () => {
  const order: string[] = [];
  const agent = createAgent(async (text) => {
    order.push(`begin ${text}`);
    await new Promise((done) => setImmediate(done));
    order.push(`end ${text}`);
  });
  await Promise.all(['a', 'b', 'c'].map((text) => agent.run(createCommand(text, text))));
  expect(order).toEqual(['begin a', 'end a', 'begin b', 'end b', 'begin c', 'end c']);
});

test('more than fifty waiting commands are refused', async () => {
  const gate = Promise.withResolvers<void>();
  const agent = createAgent(() => gate.promise);
  const waiting = Array.from({ length: 50 }, (_, index) => agent.run(createCommand(`w${index}`, 'a')));
  expect((await agent.run(createCommand('one more', 'a'))).message).toMatch(/too many pending commands/);
  gate.resolve();
  expect(await Promise.all(waiting)).toEqual(Array.from({ length: 50 }, () => DONE));
});

test('a refusal is answered with its sentence, also the next time', async () => {
  const agent = createAgent(() => Promise.reject(new Refusal('test.refused', 'There is no display')));
  expect(await agent.run(createCommand('1', 'a'))).toEqual({ message: 'There is no display', code: 'test.refused' });
  agent.restart();
  expect(await agent.run(createCommand('1', 'a'))).toEqual({ message: 'There is no display', code: 'test.refused' });
});

test('an internal failure is printed in the terminal without the text', async () => {
  const agent = createAgent(() => Promise.reject(new Error('connection lost')));
  expect((await agent.run(createCommand('1', 'secret'))).message).toMatch(/failed/);
  expect(agent.lines.join()).toMatch(/connection lost/);
  expect(agent.lines.join()).not.toMatch(/secret/);
});

test.each([undefined, 'x', {}, { id: 1 }, { id: '1', name: 'type', sentAt: 'now', data: {} }])(
  'an invalid command is answered and not run: %j',
  async (raw) => {
    const agent = createAgent();
    expect((await agent.run(raw)).message).toMatch(/could not read the (command|request)/);
    expect(agent.typed).toEqual([]);
  },
);

test('an unknown command and a malformed request are refused with a sentence', async () => {
  const agent = createAgent();
  expect((await agent.run({ ...createCommand('1', 'a'), name: 'format' })).message).toMatch(
    /does not support 'format'/,
  );
  expect((await agent.run({ ...createCommand('2', 'a'), data: { text: 5 } })).message).toMatch(
    /could not read the request 'type'/,
  );
});

test('the last 256 answers are stored', async () => {
  const agent = createAgent();
  for (let index = 0; index < 300; index++) await agent.run(createCommand(`w${index}`, 'a'));
  expect(agent.answers().find('w0').kind).toBe('new');
  expect(agent.answers().find('w299').kind).toBe('answered');
  expect(agent.answers().find('w44').kind).toBe('answered');
});

test('a command that ends after its agent was stopped is no fault, and is not run again', async () => {
  const typing = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const agent = createAgent(() => {
    started.resolve();
    return typing.promise;
  });
  const answer = agent.run(createCommand('1', 'a'));
  await started.promise;
  agent.restart();
  typing.resolve();
  expect(await answer).toEqual(DONE);
  expect(await agent.run(createCommand('1', 'a'))).toEqual({
    message: 'The agent stopped before it had finished this. It will not be repeated',
  });
  expect(agent.typed).toEqual(['a']);
});
