import react from '@vitejs/plugin-react';
import { build } from 'vite';
import { measureFirstLoad, type LoadWeight } from '../pages/weight.ts';
import { createScratchFolder, type Bench } from './measure.ts';

const KIB = 1024;
const kb = (bytes: number): string => `${(bytes / KIB).toFixed(1)} KB`;

async function bareLogin(): Promise<LoadWeight> {
  await using folder = await createScratchFolder();
  await build({
    configFile: false,
    logLevel: 'error',
    root: 'testing/bench/peers/login',
    plugins: [react()],
    build: { outDir: folder.path, emptyOutDir: true, manifest: true },
  });
  return await measureFirstLoad(folder.path);
}

export const weightBench: Bench = {
  name: 'weight',
  run: async () => {
    const ours = await measureFirstLoad('apps/web/dist', '../../tools/accounts/web/LoginPage.tsx');
    const peer = await bareLogin();
    return [
      {
        what: 'login page: JavaScript / CSS before it works, gzip',
        target: 'under 140 KB / 14 KB',
        ours: `${kb(ours.js)} / ${kb(ours.css)}`,
        peer: `${kb(peer.js)} / ${kb(peer.css)} (two fields and a button in bare React)`,
        isReached: ours.js < 140 * KIB && ours.css < 14 * KIB,
      },
    ];
  },
};
