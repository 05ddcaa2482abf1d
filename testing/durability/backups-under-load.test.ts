import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { playBackupsUnderLoad } from './backupsUnderLoad.ts';

const TIMEOUT_MS = 120_000;

test(
  'a backup under 200 writes a second is of one moment, and a killed one never looks complete',
  async () => {
    const figures = await playBackupsUnderLoad({ quietMs: 0, backupCount: 1, killCount: 2, fileCount: 4 });
    mkdirSync('reports', { recursive: true });
    writeFileSync('reports/durability-backups-under-load.json', `${JSON.stringify(figures)}\n`);
    expect(figures).toMatchObject({ backups: 1, kills: 2, failures: [] });
  },
  TIMEOUT_MS,
);
