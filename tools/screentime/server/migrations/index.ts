import type { Migration } from '#platform/server/tool.ts';
import { usage } from './001-usage.ts';

export const migrations: readonly Migration[] = [{ name: '001-usage', up: usage }];
