import type { ServerContext, StartedServerTool } from '#platform/server/tool.ts';
import { subsonicEndpoints } from '../subsonic/server/subsonicEndpoints.ts';
import type { Base } from './musicServices.ts';

/** The library as players of others see, play and change it: OpenSubsonic at `/rest/`. */
export const players = (ground: ServerContext, base: Base, version: string): StartedServerTool => ({
  calls: [],
  endpoints: subsonicEndpoints(ground, { ...base, files: ground.files, version }),
  begin: () =>
    void base.lowered
      .begin()
      .catch((error: unknown) =>
        ground.log.warn({ err: error }, 'music.smaller songs of an earlier start are not cleared away'),
      ),
  stop: async () => base.lowered.stop(),
});
