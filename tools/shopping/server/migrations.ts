import type { Migration } from '#platform/server/tool.ts';
import { lists } from './001-lists.ts';

export const migrations: readonly Migration[] = [{ name: '001-lists', up: lists }];
