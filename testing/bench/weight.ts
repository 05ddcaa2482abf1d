import react from '@vitejs/plugin-react';
import { build } from 'vite';
import { firstLoad, type Weight } from '../pages/weight.ts';
import { scratchFolder, type Bench } from './measure.ts';

const KIB = 1024;
const kb = (bytes: number): string => `${(bytes / KIB).toFixed(1)} KB`;

const bareLogin = async (): Promise<Weight> => {
  await using folder = await scratchFolder();
  await build({
    configFile: false,
    logLevel: 'error',
    root: 'testing/bench/peers/login',
    plugins: [react()],
    build: { outDir: folder.path, emptyOutDir: true, manifest: true },
  });
  return await firstLoad(folder.path);
};

export const weightBench: Bench = {
  name: 'weight',
  run: async () => {
    const ours = await firstLoad('apps/web/dist', '../../tools/accounts/web/LoginPage.tsx');
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
