import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  markHandedOver,
  type InboxFileState,
  getNextStep,
  type ProbeResult,
  updateFileState,
  getStage,
  updateWatchedFile,
  type WatchedFile,
} from './inboxReadiness.ts';

const SECOND = 1000;

test('a file is probed once it has not changed for ten seconds', () => {
  let file: WatchedFile | undefined;
  for (let second = 0; second < 60; second += 5) {
    file = updateWatchedFile(file, { size: second, mtimeMs: second }, second * SECOND);
    expect(getStage(file, second * SECOND)).toBe('wait');
  }
  for (const [second, stage] of [
    [60, 'wait'],
    [64, 'wait'],
    [65, 'ask'],
    [654, 'ask'],
    [655, 'save'],
  ] as const) {
    file = updateWatchedFile(file, { size: 55, mtimeMs: 55 }, second * SECOND);
    expect(getStage(file, second * SECOND)).toBe(stage);
  }
  file = updateWatchedFile(file, { size: 55, mtimeMs: 56 }, 700 * SECOND);
  expect(getStage(file, 700 * SECOND)).toBe('wait');
});

test('an empty file is never probed, and abandoned after ten minutes like any other', () => {
  const file = updateWatchedFile(undefined, { size: 0, mtimeMs: 0 }, 0);
  expect([9, 10, 599, 600].map((second) => getStage(file, second * SECOND))).toEqual(['wait', 'wait', 'wait', 'save']);
});

test('a file is only taken after ten seconds without a change, no matter how often it is scanned', () => {
  const steps = fc.array(fc.record({ wait: fc.nat(20_000), grows: fc.boolean() }), { maxLength: 30 });
  fc.assert(
    fc.property(steps, (scans) => {
      let now = 0;
      let size = 1;
      let changed = 0;
      let file = updateWatchedFile(undefined, { size, mtimeMs: 0 }, now);
      for (const { wait, grows } of scans) {
        now += wait;
        if (grows) {
          size += 1;
          changed = now;
        }
        file = updateWatchedFile(file, { size, mtimeMs: 0 }, now);
        expect(getStage(file, now) === 'wait').toBe(now - changed < 10_000);
      }
    }),
  );
});

/** Creates a file in an inbox that is scanned every five seconds. */
function createTestFile() {
  const world = { now: 0, snapshot: { size: 1, mtimeMs: 0 }, changed: 0, isOpen: false, hasOpenJob: false };
  const results = { probe: 'whole' as ProbeResult, isTaken: true };
  let fileState: InboxFileState = updateFileState(undefined, world.snapshot, 0);
  const handovers: { readonly at: number; readonly action: 'take' | 'save' }[] = [];
  function scan(): void {
    fileState = updateFileState(fileState, world.snapshot, world.now);
    const facts = { isOpen: world.isOpen };
    let step = getNextStep(fileState, facts, world.now);
    if (step.action === 'probe')
      step = getNextStep(step.fileState, { ...facts, probeResult: results.probe }, world.now);
    if (step.action === 'checkJob')
      step = getNextStep(step.fileState, { ...facts, hasOpenJob: world.hasOpenJob }, world.now);
    fileState = step.fileState;
    if (step.action !== 'take' && step.action !== 'save') return;
    const isTaken = results.isTaken && !world.hasOpenJob;
    handovers.push({ at: world.now, action: step.action });
    fileState = markHandedOver(fileState, isTaken, world.now);
    world.hasOpenJob ||= isTaken;
  }
  return {
    world,
    results,
    handovers,
    getState: () => fileState.state,
    pass: (seconds: number): void => {
      for (const until = world.now + seconds * SECOND; world.now < until; scan()) world.now += 5 * SECOND;
    },
    write: (): void => {
      world.snapshot = { size: world.snapshot.size + 1, mtimeMs: world.now };
      world.changed = world.now;
    },
  };
}

test('a file that its job did not fetch is reported as left, and given to another job after ten minutes', () => {
  const file = createTestFile();
  file.pass(20);
  expect([file.getState(), file.handovers.length]).toEqual(['taken', 1]);
  file.pass(600);
  expect([file.getState(), file.handovers.length]).toEqual(['taken', 1]);
  file.world.hasOpenJob = false;
  file.pass(60);
  expect([file.getState(), file.handovers.length]).toEqual(['left', 1]);
  file.pass(600);
  expect([file.getState(), file.handovers.length]).toEqual(['taken', 2]);
});

test('a file that could not be given to a job is probed again half a minute later', () => {
  const file = createTestFile();
  file.results.isTaken = false;
  file.pass(60);
  expect(file.getState()).toBe('still');
  file.results.isTaken = true;
  file.pass(35);
  expect(file.getState()).toBe('taken');
});

test('an unreadable file is given to a job only once it is readable; one that could not be probed does not count as cut', () => {
  const file = createTestFile();
  file.results.probe = 'locked';
  file.pass(3600);
  expect([file.getState(), file.handovers]).toEqual(['locked', []]);
  file.results.probe = 'whole';
  file.pass(35);
  expect(file.getState()).toBe('taken');
  const unknown = createTestFile();
  unknown.results.probe = 'unknown';
  unknown.pass(595);
  expect(unknown.handovers).toEqual([]);
  unknown.pass(60);
  expect(unknown.handovers).toMatchObject([{ action: 'take' }]);
});

test('no history of a file lets it be taken while it changes or is open, and every file is taken in the end', () => {
  const anyEvent = fc.oneof(
    fc.nat(700).map((seconds) => ({ kind: 'wait' as const, seconds })),
    fc.constant({ kind: 'write' as const }),
    fc.boolean().map((isOpen) => ({ kind: 'open' as const, isOpen })),
    fc.boolean().map((isTaken) => ({ kind: 'takes' as const, isTaken })),
    fc
      .constantFrom<ProbeResult>('whole', 'endless', 'locked', 'unknown')
      .map((probed) => ({ kind: 'probe' as const, probed })),
    fc.constant({ kind: 'job ends' as const }),
  );
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 30 }), (events) => {
      const file = createTestFile();
      const { world, results } = file;
      function check(before: number): void {
        for (const { at, action } of file.handovers.slice(before)) {
          expect(at - world.changed).toBeGreaterThanOrEqual(10_000);
          expect(world.isOpen).toBe(false);
          expect(results.probe).not.toBe('locked');
          if (action === 'save') expect([results.probe, at - world.changed >= 600_000]).toEqual(['endless', true]);
        }
      }
      for (const event of events) {
        const before = file.handovers.length;
        if (event.kind === 'wait') file.pass(event.seconds);
        else if (event.kind === 'write') file.write();
        else if (event.kind === 'open') world.isOpen = event.isOpen;
        else if (event.kind === 'takes') results.isTaken = event.isTaken;
        else if (event.kind === 'probe') results.probe = event.probed;
        else world.hasOpenJob = false;
        check(before);
      }
      Object.assign(world, { isOpen: false, hasOpenJob: false });
      Object.assign(results, { isTaken: true, probe: 'whole' });
      file.pass(11 * 60);
      expect(file.getState()).toBe('taken');
      expect(world.hasOpenJob).toBe(true);
    }),
  );
});
