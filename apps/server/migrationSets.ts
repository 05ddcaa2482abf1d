import type { MigrationSet } from '#platform/server/database/migrate.ts';
import { deviceMigrations } from '#platform/server/devices/deviceStore.ts';
import { identityMigrations } from '#platform/server/identity/migrations.ts';
import { jobMigrations } from '#platform/server/jobs/jobStore.ts';
import { securityMigrations } from '#platform/server/operations/securityEventStore.ts';
import { pushMigrations } from '#platform/server/push/subscriptionStore.ts';
import type { ServerTool } from '#platform/server/tool.ts';
import { serverTools } from './tools.ts';

/** Returns the migrations of the whole server, in the order in which they run. */
export function listMigrationSets(tools: readonly ServerTool[] = serverTools): readonly MigrationSet[] {
  return [
    { name: 'identity', migrations: identityMigrations },
    { name: 'device', migrations: deviceMigrations },
    { name: 'security', migrations: securityMigrations },
    { name: 'push', migrations: pushMigrations },
    { name: 'job', migrations: jobMigrations },
    ...tools,
  ];
}
