import { tmpdir } from 'node:os';
import { expect, test, vi } from 'vitest';
import { saveProcessState } from './processState.ts';

test('state of the process that a failed test left is restored', () => {
  const [before, folder] = [{ ...process.env }, process.cwd()];
  const restore = saveProcessState();
  vi.useFakeTimers({ now: 0 });
  vi.stubEnv('LEFT_STUBBED', 'x');
  vi.stubGlobal('leftBehind', true);
  vi.spyOn(Math, 'random').mockReturnValue(0);
  process.env['LEFT_BEHIND'] = 'x';
  process.env['PATH'] = 'nowhere';
  process.chdir(tmpdir());
  restore();
  expect(process.env).toEqual(before);
  expect(process.cwd()).toBe(folder);
  expect(Date.now()).toBeGreaterThan(0);
  expect(globalThis).not.toHaveProperty('leftBehind');
  expect(vi.isMockFunction(Math.random)).toBe(false);
});
