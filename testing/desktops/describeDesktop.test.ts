import { expect, test } from 'vitest';
import { decideDesktop } from './describeDesktop.ts';

const THERE = { missing: undefined };
const MISSING = { missing: 'needs gnome-shell' };
const EXTRA = { missing: undefined, isExtra: true };
const MISSING_EXTRA = { missing: 'needs a folder', isExtra: true };

test('a run without --all leaves out the desktops of folders, even if they are there', () => {
  const env = { ALL_DESKTOPS: 'false' };
  expect([THERE, MISSING, EXTRA, MISSING_EXTRA].map((needs) => decideDesktop(needs, env))).toEqual([
    'run',
    'skip',
    'leave out',
    'leave out',
  ]);
});

test('a run in CI fails without the desktops of this machine', () => {
  const env = { ALL_DESKTOPS: 'false', CI: 'true' };
  expect([THERE, MISSING, MISSING_EXTRA].map((needs) => decideDesktop(needs, env))).toEqual([
    'run',
    'fail',
    'leave out',
  ]);
});

test('a run with --all fails without any desktop', () => {
  const env = { ALL_DESKTOPS: 'true' };
  expect([THERE, MISSING, EXTRA, MISSING_EXTRA].map((needs) => decideDesktop(needs, env))).toEqual([
    'run',
    'fail',
    'run',
    'fail',
  ]);
});

test('a test file that is started alone tests what is there', () => {
  expect([THERE, MISSING, EXTRA, MISSING_EXTRA].map((needs) => decideDesktop(needs, {}))).toEqual([
    'run',
    'skip',
    'run',
    'skip',
  ]);
});
