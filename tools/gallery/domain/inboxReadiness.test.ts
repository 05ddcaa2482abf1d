import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  markGiven,
  type InboxFileState,
  getNextStep,
  type ProbeResult,
  updateFileState,
  getStage,
  updateWatchedFile,
  type WatchedFile,
} from './inboxReadiness.ts';

const SECOND = 1000;

test('a file that grows or is rewritten is waited for, and after ten unchanged seconds its length is probed', () => {
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

test('an empty file is never probed, and given up after ten minutes like any other', () => {
  const file = updateWatchedFile(undefined, { size: 0, mtimeMs: 0 }, 0);
  expect([9, 10, 599, 600].map((second) => getStage(file, second * SECOND))).toEqual(['wait', 'wait', 'wait', 'save']);
});

test('however often it is scanned, a file is only taken after ten seconds without a change', () => {
  const steps = fc.array(fc.record({ wait: fc.nat(20_000), grows: fc.boolean() }), { maxLength: 30 });
  fc.assert(
    fc.property(steps, (looks) => {
      let now = 0;
      let size = 1;
      let changed = 0;
      let file = updateWatchedFile(undefined, { size, mtimeMs: 0 }, now);
      for (const { wait, grows } of looks) {
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

/** A file in an inbox that is scanned every five seconds, and its environment. */
const createFile = () => {
  const world = { now: 0, look: { size: 1, mtimeMs: 0 }, changed: 0, isOpen: false, isInHand: false };
  const says = { probed: 'whole' as ProbeResult, isTaken: true };
  let lying: InboxFileState = updateFileState(undefined, world.look, 0);
  const gifts: { readonly at: number; readonly act: 'take' | 'save' }[] = [];
  const lookAt = (): void => {
    lying = updateFileState(lying, world.look, world.now);
    const known = { isOpen: world.isOpen };
    let step = getNextStep(lying, known, world.now);
    if (step.act === 'probe') step = getNextStep(step.lying, { ...known, probed: says.probed }, world.now);
    if (step.act === 'askHand') step = getNextStep(step.lying, { ...known, isInHand: world.isInHand }, world.now);
    lying = step.lying;
    if (step.act !== 'take' && step.act !== 'save') return;
    const isTaken = says.isTaken && !world.isInHand;
    gifts.push({ at: world.now, act: step.act });
    lying = markGiven(lying, isTaken, world.now);
    world.isInHand ||= isTaken;
  };
  return {
    world,
    says,
    given: gifts,
    state: () => lying.state,
    pass: (seconds: number): void => {
      for (const until = world.now + seconds * SECOND; world.now < until; lookAt()) world.now += 5 * SECOND;
    },
    write: (): void => {
      world.look = { size: world.look.size + 1, mtimeMs: world.now };
      world.changed = world.now;
    },
  };
};

test('a file that a job was given but did not fetch is reported as left, and given to another job after ten minutes', () => {
  const file = createFile();
  file.pass(20);
  expect([file.state(), file.given.length]).toEqual(['taken', 1]);
  file.pass(600);
  expect([file.state(), file.given.length]).toEqual(['taken', 1]);
  file.world.isInHand = false;
  file.pass(60);
  expect([file.state(), file.given.length]).toEqual(['left', 1]);
  file.pass(600);
  expect([file.state(), file.given.length]).toEqual(['taken', 2]);
});

test('a file that could not be given to a job is probed again half a minute later', () => {
  const file = createFile();
  file.says.isTaken = false;
  file.pass(60);
  expect(file.state()).toBe('still');
  file.says.isTaken = true;
  file.pass(35);
  expect(file.state()).toBe('taken');
});

test('an unreadable file is given to a job only once it is readable; one that could not be probed does not count as cut', () => {
  const file = createFile();
  file.says.probed = 'locked';
  file.pass(3600);
  expect([file.state(), file.given]).toEqual(['locked', []]);
  file.says.probed = 'whole';
  file.pass(35);
  expect(file.state()).toBe('taken');
  const unknown = createFile();
  unknown.says.probed = 'unknown';
  unknown.pass(595);
  expect(unknown.given).toEqual([]);
  unknown.pass(60);
  expect(unknown.given).toMatchObject([{ act: 'take' }]);
});

test('whatever happens to a file, it is never taken while it changes or is written, and never forgotten', () => {
  const happens = fc.oneof(
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
    fc.property(fc.array(happens, { maxLength: 30 }), (events) => {
      const file = createFile();
      const { world, says } = file;
      const check = (before: number): void => {
        for (const { at, act } of file.given.slice(before)) {
          expect(at - world.changed).toBeGreaterThanOrEqual(10_000);
          expect(world.isOpen).toBe(false);
          expect(says.probed).not.toBe('locked');
          if (act === 'save') expect([says.probed, at - world.changed >= 600_000]).toEqual(['endless', true]);
        }
      };
      for (const event of events) {
        const before = file.given.length;
        if (event.kind === 'wait') file.pass(event.seconds);
        else if (event.kind === 'write') file.write();
        else if (event.kind === 'open') world.isOpen = event.isOpen;
        else if (event.kind === 'takes') says.isTaken = event.isTaken;
        else if (event.kind === 'probe') says.probed = event.probed;
        else world.isInHand = false;
        check(before);
      }
      Object.assign(world, { isOpen: false, isInHand: false });
      Object.assign(says, { isTaken: true, probed: 'whole' });
      file.pass(11 * 60);
      expect(file.state()).toBe('taken');
      expect(world.isInHand).toBe(true);
    }),
  );
});
