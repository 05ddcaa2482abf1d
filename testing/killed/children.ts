// A server that runs a program, to be killed: `children.ts <folder> <sandbox: try or off>`.
// Prints whether it is sandboxed.
import { pino } from 'pino';
import { createProcessRunner } from '#platform/server/programs/processRunner.ts';

const [, , folder = '', sandbox] = process.argv;
const processRunner = createProcessRunner({
  log: pino({ level: 'silent' }),
  sandbox: sandbox === 'try' ? 'try' : 'off',
});
const kind = await processRunner.getSandbox();
await processRunner.run({
  program: 'sh',
  args: ['-c', 'echo begun; exec sleep 60'],
  folder,
  limits: { timeoutMs: 60_000, maxCpuSeconds: 10, maxFileBytes: 1000 },
  onLine: () => void process.stdout.write(`${kind}\n`),
});
