import type { Migration } from '#platform/server/tool.ts';
import { slots } from './001-slots.ts';

export const migrations: readonly Migration[] = [{ name: '001-slots', up: slots }];
