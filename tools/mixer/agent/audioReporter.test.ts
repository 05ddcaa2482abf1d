import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { AudioLevel } from '#platform/agent/drivers/drivers.ts';
import { createFakeDrivers } from '#platform/agent/drivers/fakeDrivers.ts';
import type { AgentContext } from '#platform/agent/tool.ts';
import type { EventDataOf } from '#platform/contract/event.ts';
import { MAX_LEVELS, MAX_REPORTED_LEVELS, audioReport } from '../contract.ts';
import { createAudioReporter } from './audioReporter.ts';

type Report = EventDataOf<typeof audioReport>;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const createLevel = (level: number): AudioLevel => ({ name: 'Film', level, muted: false, colour: '#336699' });
const NOTHING = { sessions: [], outputs: [] };

/** Creates a computer whose reports wait until the test answers them. */
function createSetup() {
  const drivers = createFakeDrivers();
  const reports: Report[] = [];
  const pendingReports: { readonly accept: () => void; readonly refuse: () => void }[] = [];
  const listeners: { connect?: () => void; disconnect?: () => void } = {};
  const context = {
    drivers,
    report: (_: unknown, report: Report) => {
      reports.push(report);
      return new Promise<object>((resolve, reject) => {
        pendingReports.push({ accept: () => resolve({}), refuse: () => reject(new Error('no answer')) });
      });
    },
    onConnect: (listener: () => void) => void (listeners.connect = listener),
    onDisconnect: (listener: () => void) => void (listeners.disconnect = listener),
  } as unknown as AgentContext;
  const reporter = createAudioReporter(context);
  return {
    ...drivers,
    reports,
    connect: () => listeners.connect?.(),
    disconnect: () => listeners.disconnect?.(),
    stop: reporter.stop,
    respond: async (response: 'accept' | 'refuse' = 'accept', ms = 1000) => {
      pendingReports.shift()?.[response]();
      await vi.advanceTimersByTimeAsync(ms);
    },
  };
}

test('everything is reported on a new connection, then changes only, and nothing without a change', async () => {
  const setup = createSetup();
  setup.play({ sessions: [createLevel(10)], outputs: [{ ...createLevel(70), name: 'Speakers' }] });
  expect(setup.reports).toEqual([]);
  setup.connect();
  expect(setup.reports).toEqual([
    {
      isWhole: true,
      sessions: { Film: { level: 10, muted: false, colour: '#336699' } },
      outputs: { Speakers: { level: 70, muted: false, colour: '#336699' } },
      gone: NOTHING,
    },
  ]);
  await setup.respond();
  setup.play({ sessions: [createLevel(10)], outputs: [{ ...createLevel(70), name: 'Speakers' }] });
  expect(setup.reports).toHaveLength(1);
  setup.play({ sessions: [createLevel(20)], outputs: [] });
  expect(setup.reports[1]).toEqual({
    isWhole: false,
    sessions: { Film: { level: 20, muted: false, colour: '#336699' } },
    outputs: {},
    gone: { sessions: [], outputs: ['Speakers'] },
  });
});

test('one report is sent at a time, and the next one has the latest state', async () => {
  const setup = createSetup();
  setup.connect();
  for (let level = 1; level <= 90; level += 1) setup.play({ sessions: [createLevel(level)], outputs: [] });
  expect(setup.reports).toHaveLength(1);
  await setup.respond();
  expect(setup.reports).toHaveLength(2);
  expect(setup.reports[1]?.sessions).toMatchObject({ Film: { level: 90 } });
  setup.play({ sessions: [createLevel(1)], outputs: [] });
  setup.play({ sessions: [createLevel(90)], outputs: [] });
  await setup.respond();
  expect(setup.reports, 'the server already has this state').toHaveLength(2);
});

test('a computer whose sound changes constantly sends at most 50 reports per second', async () => {
  const setup = createSetup();
  setup.connect();
  for (let at = 0; at < 1000; at += 1) {
    setup.play({ sessions: [createLevel(at % 100)], outputs: [] });
    await setup.respond('accept', 1);
  }
  expect(setup.reports.length).toBeGreaterThan(40);
  expect(setup.reports.length).toBeLessThanOrEqual(51);
});

test('a rejected report is repeated completely', async () => {
  const setup = createSetup();
  setup.play({ sessions: [createLevel(10)], outputs: [] });
  setup.connect();
  await setup.respond();
  setup.play({ sessions: [createLevel(20)], outputs: [] });
  await setup.respond('refuse');
  expect(setup.reports[2]).toMatchObject({ isWhole: true, sessions: { Film: { level: 20 } } });
});

test('the answer of an old connection is ignored, and nothing is reported without a connection', async () => {
  const setup = createSetup();
  setup.play({ sessions: [createLevel(10)], outputs: [] });
  setup.connect();
  setup.disconnect();
  await setup.respond();
  setup.play({ sessions: [createLevel(20)], outputs: [] });
  expect(setup.reports).toHaveLength(1);
  setup.connect();
  expect(setup.reports[1]).toMatchObject({ isWhole: true, sessions: { Film: { level: 20 } } });
  setup.stop();
  await setup.respond();
  setup.play({ sessions: [createLevel(30)], outputs: [] });
  expect(setup.reports).toHaveLength(2);
});

test('many changes are sent in parts that fit a packet, and 200 sliders are the maximum', async () => {
  const setup = createSetup();
  const levels = Array.from({ length: 300 }, (_, at) => ({
    ...createLevel(at % 100),
    name: `${'n'.repeat(95)} ${at}`,
  }));
  setup.play({ sessions: levels, outputs: [] });
  setup.connect();
  for (let count = 0; count < 10; count += 1) await setup.respond();
  expect(setup.reports).toHaveLength(MAX_LEVELS / MAX_REPORTED_LEVELS);
  expect(setup.reports.map(({ isWhole }) => isWhole)).toEqual([true, false, false, false, false]);
  const names = setup.reports.flatMap(({ sessions }) => Object.keys(sessions));
  expect(new Set(names).size).toBe(MAX_LEVELS);
  for (const report of setup.reports) expect(audioReport.data.safeParse(report).success).toBe(true);
});
