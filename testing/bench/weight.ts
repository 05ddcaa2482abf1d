import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { build } from 'vite';
import { initialWeight } from '../pages/weight.ts';
import type { Bench } from './measure.ts';

const KIB = 1024;
const kb = (bytes: number): string => `${(bytes / KIB).toFixed(1)} KB`;

const bareLogin = async (): Promise<{ readonly js: number; readonly css: number }> => {
  const outDir = await mkdtemp(join(tmpdir(), 'pegboard-bench-'));
  try {
    await build({
      configFile: false,
      logLevel: 'error',
      root: 'testing/bench/peers/login',
      plugins: [react()],
      build: { outDir, emptyOutDir: true, manifest: true },
    });
    return await initialWeight(outDir, 'main.tsx');
  } finally {
    await rm(outDir, { recursive: true });
  }
};

export const weightBench: Bench = {
  name: 'weight',
  run: async () => {
    const ours = await initialWeight('apps/web/dist', '#tools/accounts/web/LoginPage.tsx');
    const peer = await bareLogin();
    return [
      {
        what: 'login page: JavaScript / CSS before it works, gzip',
        target: 'under 140 KB / 14 KB',
        ours: `${kb(ours.js)} / ${kb(ours.css)}`,
        peer: `${kb(peer.js)} / ${kb(peer.css)} (two fields and a button in bare React)`,
        reached: ours.js < 140 * KIB && ours.css < 14 * KIB,
      },
    ];
  },
};
