import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { installWindowsService } from './windowsService.ts';

test('flags that Windows can’t start the agent with are refused before the running agent is stopped', async () => {
  const folder = join(tmpdir(), 'pegboard-not-created');
  const folders = { config: folder, state: folder, data: folder, socket: join(folder, 'agent.sock') };
  const flags = Array.from({ length: 50 }, () => '--allow-scripts');
  await expect(installWindowsService({ folders, agentFile: 'agent.mjs', flags })).rejects.toThrow(
    "can't start the agent with so many flags",
  );
  expect(existsSync(folder)).toBe(false);
});
