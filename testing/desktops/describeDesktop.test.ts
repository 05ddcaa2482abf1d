import { expect, test } from 'vitest';
import { decideDesktop, type DesktopNeeds } from './describeDesktop.ts';

const NEEDS: readonly DesktopNeeds[] = [
  { missing: undefined },
  { missing: 'needs gnome-shell' },
  { missing: undefined, isExtra: true },
  { missing: 'needs a folder', isExtra: true },
];

test.each([
  [
    'without --all leaves out desktops in folders, even if they are installed',
    { ALL_DESKTOPS: 'false' },
    ['run', 'skip', 'leave out', 'leave out'],
  ],
  [
    'in CI fails if a desktop of this machine is missing',
    { ALL_DESKTOPS: 'false', CI: 'true' },
    ['run', 'fail', 'leave out', 'leave out'],
  ],
  ['with --all fails if any desktop is missing', { ALL_DESKTOPS: 'true' }, ['run', 'fail', 'run', 'fail']],
  ['of a single file tests what is installed', {}, ['run', 'skip', 'run', 'skip']],
])('a run %s', (_, env, decisions) => {
  expect(NEEDS.map((needs) => decideDesktop(needs, env))).toEqual(decisions);
});
