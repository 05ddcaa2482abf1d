import { handle, type Handler } from '#platform/server/tool.ts';
import { importactivitywatch } from '../../contract.ts';
import type { createUsageImporter } from './usageImporter.ts';

export const importCalls = (take: ReturnType<typeof createUsageImporter>): readonly Handler[] => [
  handle(importactivitywatch, async ({ hostname, window, away, importid }, { account }) =>
    take({ account, hostname, window, away, importid }),
  ),
];
