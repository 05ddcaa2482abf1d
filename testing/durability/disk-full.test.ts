import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { listDiskLimits, playFullDisk } from './fullDisk.ts';

/** Each round stores and reads some MiB. */
const TIMEOUT_MS = 120_000;

test.each(await listDiskLimits())(
  'on $name no acknowledged write is lost, others are refused, and login, export and deletion work',
  async (limit) => {
    const figures = await playFullDisk(limit, 1);
    expect(figures.lost).toBe(0);
    expect(figures.acknowledged).toBeGreaterThan(50);
    mkdirSync('reports', { recursive: true });
    writeFileSync(`reports/durability-disk-full-${limit.id}.json`, `${JSON.stringify(figures)}\n`);
  },
  TIMEOUT_MS,
);
