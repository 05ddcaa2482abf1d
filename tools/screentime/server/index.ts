import type { ServerTool } from '#platform/server/tool.ts';
import { migrations } from './migrations/index.ts';

// The parts stand on `usageStore(ground.database)` and hear from `makeChanges()` what has changed.
export const screentime: ServerTool = {
  name: 'screentime',
  migrations,
  start: () => ({ calls: [] }),
};
