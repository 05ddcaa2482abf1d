import { HOUR_MS } from '#platform/contract/duration.ts';
import { MAX_CORE_SHARE, MAX_MEMORY_MB } from '../bench/desktops.ts';
import { measureWatching } from '../bench/watching.ts';
import { getSkipReason } from '../machine.ts';
import type { FaultSuite } from './suite.ts';

/** The agent on a computer that is used for an hour. */
export const watchingSuite: FaultSuite = {
  name: 'watching',
  run: async (say) => {
    const what = 'an hour of use takes under 0.5 % of a core and 90 MiB';
    const skipReason = getSkipReason('Xvfb', 'openbox', 'xterm', 'pulseaudio', 'pacat', 'pactl');
    if (skipReason !== undefined) {
      say(skipReason);
      return [{ what, caseCount: 0, failures: [] }];
    }
    const { core, memoryMb } = await measureWatching(HOUR_MS);
    const figures = `${(core * 100).toFixed(2)} % of a core, ${Math.round(memoryMb)} MB`;
    say(figures);
    return [{ what, caseCount: 1, failures: core < MAX_CORE_SHARE && memoryMb < MAX_MEMORY_MB ? [] : [figures] }];
  },
};
