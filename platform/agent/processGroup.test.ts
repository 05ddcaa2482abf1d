import type { ChildProcess } from 'node:child_process';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createProcessGroup } from './processGroup.ts';

test.each(['ESRCH', 'EPERM'])('processes that have ended or belong to others are no fault of the agent: %s', (code) => {
  const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
    throw Object.assign(new Error(code), { code });
  });
  onTestFinished(() => kill.mockRestore());
  const group = createProcessGroup({ pid: 4321 } as ChildProcess);
  for (const end of [group.terminate, group.kill, group.handleEnd]) expect(end).not.toThrow();
  expect(kill).toHaveBeenCalledWith(-4321, 'SIGKILL');
});
