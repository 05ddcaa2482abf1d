import type { UsagePlan } from '../kits/usage/usage.ts';

/** The usage that `usageWriter.ts` writes and its test expects. */
export const USAGE_PLAN: UsagePlan = { seed: 3, days: 2, devices: 1, applications: 12, until: 1_795_305_600 };
export const USAGE_HOME = { account: 1, devices: [1], zone: 'Europe/Berlin' };
export const SEGMENTS_PER_REPORT = 7;
