import type { Migration } from '#platform/server/tool.ts';
import { usage } from './001-usage.ts';
import { sorting } from './002-sorting.ts';
import { goals } from './003-goals.ts';
import { goneGoals } from './004-gone-goals.ts';
import { imports } from './005-imports.ts';

export const migrations: readonly Migration[] = [
  { name: '001-usage', up: usage },
  { name: '002-sorting', up: sorting },
  { name: '003-goals', up: goals },
  { name: '004-gone-goals', up: goneGoals },
  { name: '005-imports', up: imports },
];
