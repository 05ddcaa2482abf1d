import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createTempFolderSync } from '#testing/kits/server/tempFolder.ts';
import { hashAgentSources } from './lastRun.ts';

const SOURCES = [
  'apps/agent/package/run.cjs',
  'platform/agent/drivers/sway/ipc.ts',
  'platform/agent/drivers/gnome/session.desktop.ts',
  'tools/screentime/usage/agent/index.ts',
  'tools/selfcheck/agent/index.ts',
  'testing/kits/desktop/gnome.ts',
  'testing/journeys/remoteJourney.ts',
];
const OTHERS = [
  'apps/agent/dist/agent.mjs',
  'apps/server/main.ts',
  'docs/agent.md',
  'platform/agent/drivers/sway/hotkeys.test.ts',
  'testing/desktops/lastRun.json',
  'tools/selfcheck/web/index.ts',
];

/** Creates a folder with these files, and returns how to change one. */
function createFolder(paths: readonly string[]) {
  const folder = createTempFolderSync();
  function write(path: string, text: string): void {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  for (const path of paths) write(path, '');
  return { folder, write };
}

test.each(SOURCES)('a change of %s makes the desktops run again', (path) => {
  const { folder, write } = createFolder([...SOURCES, ...OTHERS]);
  const before = hashAgentSources(folder);
  write(path, 'changed');
  expect(hashAgentSources(folder)).not.toBe(before);
});

test.each(OTHERS)('a change of %s does not', (path) => {
  const { folder, write } = createFolder([...SOURCES, ...OTHERS]);
  const before = hashAgentSources(folder);
  write(path, 'changed');
  expect(hashAgentSources(folder)).toBe(before);
});

test('the same sources have the same hash in another folder', () => {
  expect(hashAgentSources(createFolder(SOURCES).folder)).toBe(hashAgentSources(createFolder(SOURCES).folder));
});
