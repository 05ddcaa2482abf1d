import { stat } from 'node:fs/promises';
import react from '@vitejs/plugin-react';
import { build } from 'vite';
import { measureFirstLoad, type LoadWeight } from '../pages/weight.ts';
import { createScratchFolder, type Bench } from './measure.ts';

const KIB = 1024;
const MAX_JS_KIB = 140;
const MAX_CSS_KIB = 14;
const MAX_AGENT_KB = 400;
const formatKib = (bytes: number): string => `${(bytes / KIB).toFixed(1)} KiB`;

/** Builds the simplest login page; returns the size of its files. */
async function measureBaseline(): Promise<LoadWeight> {
  await using folder = await createScratchFolder();
  await build({
    configFile: false,
    logLevel: 'error',
    root: 'testing/bench/baselines/login',
    plugins: [react()],
    build: { outDir: folder.path, emptyOutDir: true, manifest: true },
  });
  return await measureFirstLoad(folder.path);
}

export const weightBench: Bench = {
  name: 'weight',
  run: async () => {
    const pegboard = await measureFirstLoad('apps/web/dist', '../../tools/accounts/web/LoginPage.tsx');
    const baseline = await measureBaseline();
    const { size: agentBytes } = await stat('apps/agent/dist/agent.tgz');
    return [
      {
        name: 'login page: JavaScript / CSS before it works, gzip',
        target: `under ${MAX_JS_KIB} KiB / ${MAX_CSS_KIB} KiB`,
        measured: `${formatKib(pegboard.js)} / ${formatKib(pegboard.css)}`,
        baseline: `${formatKib(baseline.js)} / ${formatKib(baseline.css)} (two fields and a button in bare React)`,
        isTargetMet: pegboard.js < MAX_JS_KIB * KIB && pegboard.css < MAX_CSS_KIB * KIB,
      },
      {
        name: 'the agent, for all systems: what `npx` fetches from the server (agent.tgz)',
        target: `under ${MAX_AGENT_KB} KB`,
        measured: `${Math.round(agentBytes / 1000)} KB`,
        isTargetMet: agentBytes < MAX_AGENT_KB * 1000,
      },
    ];
  },
};
