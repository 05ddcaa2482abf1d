import { expect, onTestFinished, test } from 'vitest';
import { createHeldInputs } from './heldInputs.ts';

test('inputs are held and released although the disk is full', () => {
  const lines: string[] = [];
  const heldInputs = createHeldInputs({
    display: ':0',
    path: '/dev/full',
    sendToGuardian: (line) => void lines.push(line),
    release: () => undefined,
  });
  onTestFinished(heldInputs.close);
  heldInputs.add(['b1']);
  expect(heldInputs.list()).toEqual(['b1']);
  heldInputs.remove(['b1']);
  expect(heldInputs.list()).toEqual([]);
  expect(lines).toEqual(['+b1', '-b1']);
});
