import { listDiskLimits, playFullDisk } from '../durability/fullDisk.ts';
import type { FaultSuite } from './suite.ts';

const ROUNDS = 20;

/** A disk that is filled under load and freed again, many times, without a restart. */
export const diskFullSuite: FaultSuite = {
  name: 'disk-full',
  run: async (say) => {
    const results = [];
    for (const limit of await listDiskLimits()) {
      const { acknowledged, refused, lost, logins } = await playFullDisk(limit, ROUNDS);
      say(`${limit.name}: ${acknowledged} acknowledged, ${refused} refused, ${lost} lost, ${logins} logins`);
      results.push({
        what: `${limit.name}, filled ${ROUNDS} times`,
        caseCount: acknowledged,
        failures: lost === 0 ? [] : [`${lost} of ${acknowledged} acknowledged writes are lost`],
      });
    }
    return results;
  },
};
