// A server that has a program running, to be killed: `children.ts <folder>`. Says the program's process id.
import { pino } from 'pino';
import { makeChildren } from '#platform/server/children/make.ts';

const [, , folder = ''] = process.argv;
const children = makeChildren({ log: pino({ level: 'silent' }), sandbox: 'off' });
await children.run({
  program: 'sh',
  args: ['-c', 'echo $$; exec sleep 60'],
  folder,
  limits: { wallMs: 60_000, cpuSeconds: 10, fileBytes: 1000 },
  onLine: (line) => void process.stdout.write(`${line}\n`),
});
