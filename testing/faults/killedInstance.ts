import { playKilledInstance } from '../durability/killedInstance.ts';
import { getSkipReason } from '../machine.ts';
import type { FaultSuite } from './suite.ts';

const KILLS = 20;
const MAX_RECOVERY_MS = 3000;

/** An instance is killed while a phone types through it. */
export const killedInstanceSuite: FaultSuite = {
  name: 'killed-instance',
  run: async (say) => {
    const what = `a phone types through two instances, killed ${KILLS} times in turn`;
    const skipReason = getSkipReason('initdb', 'redis-server');
    if (skipReason !== undefined) return [{ what: `${what} (${skipReason})`, caseCount: 0, failures: [] }];
    const { words, duplicated, lost, isPressed, recoveryMs } = await playKilledInstance(KILLS, say);
    say(
      `${words} words, ${duplicated} typed twice, ${lost} lost, back after ${Math.round(Math.max(...recoveryMs))} ms`,
    );
    const slow = recoveryMs.filter((ms) => ms > MAX_RECOVERY_MS);
    return [
      {
        what,
        caseCount: words,
        failures: [
          ...(duplicated + lost === 0 ? [] : [`${duplicated} words are typed twice, ${lost} are lost`]),
          ...(isPressed ? ['a mouse button is still pressed'] : []),
          ...slow.map((ms) => `back only after ${Math.round(ms)} ms`),
        ],
      },
    ];
  },
};
