import process from 'node:process';
import { describe, test } from '/tmp/ss/shim.ts';
import { HISTORY_LAWS } from '#testing/sync/laws.ts';

/** Number of histories for all laws together; `npm run test:faults` runs a million. */
const HISTORIES = Number(process.env['HISTORIES'] ?? 20_000);

describe('whatever users do and the network loses, delays or repeats', () => {
  test.each(HISTORY_LAWS)('$name', ({ check }) => check({ numRuns: Math.ceil(HISTORIES / HISTORY_LAWS.length) }));
});
