import type { ServerTool } from '#platform/server/tool.ts';
import { exportOf } from './export.ts';
import { migrations } from './migrations.ts';
import { calls } from './pasteHandlers.ts';
import { pieceStore } from './pasteStore.ts';

export const paste: ServerTool = {
  name: 'paste',
  migrations,
  start: (ground) => ({
    calls: calls(ground),
    exportOf: exportOf(ground),
    exportHolds:
      'The texts that you stored on the paste page and that have not expired. Encrypted ones need their key.',
    nightly: () => pieceStore(ground.database).sweep(ground.now()),
  }),
};
