import type { Ground, ServerParts } from '#platform/server/tool.ts';
import type { Base } from './base.ts';
import { subsonicEndpoints } from './subsonic/index.ts';
import { makeLowered } from './subsonic/lowered.ts';

/** The library as players of others see, play and change it: OpenSubsonic at `/rest/`. */
export const players = (ground: Ground, base: Base, version: string): ServerParts => {
  const { children, programs, files } = ground;
  const lowered = makeLowered({
    children,
    files,
    ffmpeg: async () => ((await programs.hindrance('convert')) === '' ? (await programs.ffmpeg()).program : undefined),
  });
  return {
    calls: [],
    endpoints: subsonicEndpoints(ground, { ...base, files, lowered, version }),
    stop: async () => lowered.stop(),
  };
};
