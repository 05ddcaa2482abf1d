import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { AudioLevel } from '#platform/agent/drivers/drivers.ts';
import { createFakeDrivers } from '#platform/agent/drivers/fakeDrivers.ts';
import type { AgentContext } from '#platform/agent/tool.ts';
import type { EventDataOf } from '#platform/contract/event.ts';
import { MAX_LEVELS, MAX_REPORTED_LEVELS, audioReport } from '../contract.ts';
import { createReporter } from './audioReporter.ts';

type Report = EventDataOf<typeof audioReport>;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const film = (level: number): AudioLevel => ({ name: 'Film', level, muted: false, colour: '#336699' });
const NOTHING = { sessions: [], outputs: [] };

/** A computer whose reports wait until the test answers them. */
const createStage = () => {
  const drivers = createFakeDrivers();
  const reports: Report[] = [];
  const answers: { readonly take: () => void; readonly refuse: () => void }[] = [];
  const hooks: { connect?: () => void; lose?: () => void } = {};
  const context = {
    drivers,
    report: (_: unknown, report: Report) => {
      reports.push(report);
      return new Promise<object>((resolve, reject) => {
        answers.push({ take: () => resolve({}), refuse: () => reject(new Error('no answer')) });
      });
    },
    onConnect: (listener: () => void) => void (hooks.connect = listener),
    onDisconnect: (listener: () => void) => void (hooks.lose = listener),
  } as unknown as AgentContext;
  const reporter = createReporter(context);
  return {
    ...drivers,
    reports,
    connect: () => hooks.connect?.(),
    lose: () => hooks.lose?.(),
    stop: reporter.stop,
    answer: async (how: 'take' | 'refuse' = 'take', ms = 1000) => {
      answers.shift()?.[how]();
      await vi.advanceTimersByTimeAsync(ms);
    },
  };
};

test('everything is reported on a new connection, then changes only, and nothing without a change', async () => {
  const stage = createStage();
  stage.play({ sessions: [film(10)], outputs: [{ ...film(70), name: 'Speakers' }] });
  expect(stage.reports).toEqual([]);
  stage.connect();
  expect(stage.reports).toEqual([
    {
      isWhole: true,
      sessions: { Film: { level: 10, muted: false, colour: '#336699' } },
      outputs: { Speakers: { level: 70, muted: false, colour: '#336699' } },
      gone: NOTHING,
    },
  ]);
  await stage.answer();
  stage.play({ sessions: [film(10)], outputs: [{ ...film(70), name: 'Speakers' }] });
  expect(stage.reports).toHaveLength(1);
  stage.play({ sessions: [film(20)], outputs: [] });
  expect(stage.reports[1]).toEqual({
    isWhole: false,
    sessions: { Film: { level: 20, muted: false, colour: '#336699' } },
    outputs: {},
    gone: { sessions: [], outputs: ['Speakers'] },
  });
});

test('one report is sent at a time, and the next one has the latest state', async () => {
  const stage = createStage();
  stage.connect();
  for (let level = 1; level <= 90; level += 1) stage.play({ sessions: [film(level)], outputs: [] });
  expect(stage.reports).toHaveLength(1);
  await stage.answer();
  expect(stage.reports).toHaveLength(2);
  expect(stage.reports[1]?.sessions).toMatchObject({ Film: { level: 90 } });
  stage.play({ sessions: [film(1)], outputs: [] });
  stage.play({ sessions: [film(90)], outputs: [] });
  await stage.answer();
  expect(stage.reports, 'it is again as the server knows it').toHaveLength(2);
});

test('a computer whose sound changes constantly sends at most 50 reports per second', async () => {
  const stage = createStage();
  stage.connect();
  for (let at = 0; at < 1000; at += 1) {
    stage.play({ sessions: [film(at % 100)], outputs: [] });
    await stage.answer('take', 1);
  }
  expect(stage.reports.length).toBeGreaterThan(40);
  expect(stage.reports.length).toBeLessThanOrEqual(51);
});

test('a rejected report is repeated completely', async () => {
  const stage = createStage();
  stage.play({ sessions: [film(10)], outputs: [] });
  stage.connect();
  await stage.answer();
  stage.play({ sessions: [film(20)], outputs: [] });
  await stage.answer('refuse');
  expect(stage.reports[2]).toMatchObject({ isWhole: true, sessions: { Film: { level: 20 } } });
});

test('the answer of an old connection is ignored, and nothing is reported without a connection', async () => {
  const stage = createStage();
  stage.play({ sessions: [film(10)], outputs: [] });
  stage.connect();
  stage.lose();
  await stage.answer();
  stage.play({ sessions: [film(20)], outputs: [] });
  expect(stage.reports).toHaveLength(1);
  stage.connect();
  expect(stage.reports[1]).toMatchObject({ isWhole: true, sessions: { Film: { level: 20 } } });
  stage.stop();
  await stage.answer();
  stage.play({ sessions: [film(30)], outputs: [] });
  expect(stage.reports).toHaveLength(2);
});

test('many changes are sent in parts that fit a packet, and 200 sliders are the maximum', async () => {
  const stage = createStage();
  const many = Array.from({ length: 300 }, (_, at) => ({ ...film(at % 100), name: `${'n'.repeat(95)} ${at}` }));
  stage.play({ sessions: many, outputs: [] });
  stage.connect();
  for (let part = 0; part < 10; part += 1) await stage.answer();
  expect(stage.reports).toHaveLength(MAX_LEVELS / MAX_REPORTED_LEVELS);
  expect(stage.reports.map(({ isWhole }) => isWhole)).toEqual([true, false, false, false, false]);
  const names = stage.reports.flatMap(({ sessions }) => Object.keys(sessions));
  expect(new Set(names).size).toBe(MAX_LEVELS);
  for (const report of stage.reports) expect(audioReport.data.safeParse(report).success).toBe(true);
});
