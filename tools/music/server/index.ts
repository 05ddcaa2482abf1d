import type { ServerTool } from '#platform/server/tool.ts';
import { downloading, type DownloadingOptions } from '../downloads/server/downloads.ts';
import { keeping } from './keeping.ts';
import { migrations } from './migrations.ts';
import { exportFiles, exportHolds, exportOf } from './musicExport.ts';
import { joined, createBase } from './musicServices.ts';
import { settings } from './musicSettings.ts';
import { players } from './players.ts';

/** Benchmarks look into its downloads. */
export const musicWith = (options: DownloadingOptions = {}): ServerTool => ({
  name: 'music',
  settings,
  migrations,
  start: (ground, site) => {
    const base = createBase(ground);
    return {
      ...joined([keeping(ground, base), downloading(ground, base, options), players(ground, base, site.version)]),
      exportOf: exportOf(base, ground),
      exportHolds,
      exportFiles: exportFiles(base, ground.files),
    };
  },
});

export const music: ServerTool = musicWith();
