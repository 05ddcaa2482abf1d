// An agent in its own process that measures like `agent run`, possibly faster.
// Run: `node testing/kits/desktop/watchedAgent.ts '{…}'`.
import { startAgent } from '#platform/agent/agent.ts';
import { openSystemDrivers } from '#platform/agent/drivers/systemDrivers.ts';
import { createScreentime } from '#tools/screentime/agent/index.ts';
import { monitorStalls } from '../browser/stalls.ts';

export interface TestAgentOptions {
  readonly origin: string;
  readonly token: string;
  readonly stateDir: string;
  readonly awayAfterMs: number;
  readonly uploadIntervalMs: number;
}

const { origin, token, stateDir, ...pace } = JSON.parse(process.argv[2] ?? '') as TestAgentOptions;
const drivers = await openSystemDrivers({ env: process.env, stateDir });
const only = { keyboard: false, mouse: false, messages: false, notifications: false, clipboard: false } as const;
const agent = startAgent({
  origin,
  token,
  version: 'test',
  drivers,
  allowed: { ...only, sound: true, usage: true, scripts: false, capture: false },
  tools: [createScreentime(pace)],
  stateDir,
  print: (line) => void process.stdout.write(`${line}\n`),
  onWelcome: () => void process.stdout.write('welcome\n'),
});
drivers.onChange(agent.sendDescription);
process.stdout.write('watching\n');
// Reports stalls immediately, as it may be killed at any moment.
monitorStalls((ms) => void process.stdout.write(`stood still ${Math.ceil(ms)} ms\n`));
async function end(): Promise<void> {
  await agent[Symbol.asyncDispose]();
  await drivers[Symbol.asyncDispose]();
  process.exit(0);
}
process.once('SIGTERM', () => void end());
