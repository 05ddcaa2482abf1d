// `npm run demo`: builds what is stale, and starts a server with a made-up household and a simulated computer.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Refusal } from '#platform/contract/refusal.ts';
import { isBuilt } from '../server/buildStamp.ts';
import { stopOnSignal } from '../server/stopOnSignal.ts';
import { type Demo, startDemo } from './demo.ts';

const USAGE = `Usage: npm run demo -- [options]

  --keep <folder>   store the demo there, and start it again from there
  --port <number>   port to listen on (PORT, or 8310)
  --host <address>  address to listen on (HOST, or 127.0.0.1, which only this computer can reach)
  --days <number>   days of history (365)
`;

const LOCAL_HOST = '127.0.0.1';
const print = (line: string): void => void process.stdout.write(`${line}\n`);

function buildIfStale(): void {
  if (isBuilt()) return;
  print('Building the pages and the agent. This takes a few seconds…');
  const build = fileURLToPath(new URL('../../build.ts', import.meta.url));
  const { status } = spawnSync(process.execPath, [build], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

function parseNumber(text: string, name: string, max: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 0 && number <= max) return number;
  throw new Refusal('demo.invalid_option', `--${name} must be a whole number from 0 to ${max}`);
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Until the demo is ready, a signal ends the process immediately; its temporary folder is removed on exit. */
const exitOnSignal = (): void => process.exit(1);

const formatMessage = (demo: Demo, folder: string | undefined): string => `
The demo is ready. Log in with this link, on a phone-sized window too:
  ${demo.loginLink}

What you type on the dashboard arrives on the screen of the simulated computer:
  ${demo.screenLink}

Accounts:                            ${demo.people[0]} (owner), ${demo.people[1]}
Password of both:                    ${demo.password}
Chat status code, for /sleepstatus:  ${demo.chatCode}

${folder === undefined ? 'All data is temporary. ' : ''}Press Ctrl+C to stop
`;

// A closed output (`npm run demo | head`) is no reason to stop.
process.stdout.on('error', () => undefined);

try {
  const { values } = parseArgs({
    options: {
      keep: { type: 'string' },
      port: { type: 'string', default: process.env['PORT'] || '8310' },
      host: { type: 'string', default: process.env['HOST'] || LOCAL_HOST },
      days: { type: 'string', default: '365' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) print(USAGE);
  else {
    const options = {
      host: values.host,
      port: parseNumber(values.port, 'port', 65_535),
      days: parseNumber(values.days, 'days', 3650),
      folder: values.keep,
      now: Temporal.Now.zonedDateTimeISO(),
      print,
    };
    buildIfStale();
    for (const signal of SIGNALS) process.on(signal, exitOnSignal);
    const demo = await startDemo(options);
    for (const signal of SIGNALS) process.off(signal, exitOnSignal);
    stopOnSignal(demo);
    print(formatMessage(demo, values.keep));
  }
} catch (error) {
  const isUsageError = error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
  if (!(error instanceof Refusal) && !isUsageError) throw error;
  process.stderr.write(`${error.message}\n${isUsageError ? USAGE : ''}`);
  process.exitCode = 1;
}
