// A part of an agent with its guardian, which tests kill: it holds a key, or types for a long time.
import { fileURLToPath } from 'node:url';
import { openDesktopSession } from '#platform/agent/drivers/openDesktopSession.ts';

const [task, heldPath = ''] = process.argv.slice(2);
const guardian = {
  program: process.execPath,
  args: [fileURLToPath(import.meta.resolve('../../../apps/agent/main.ts')), '--guardian'],
};
const session = await openDesktopSession({ env: process.env, heldPath, guardian });
if (task === 'hold') await session.keyboard.holdModifiers(['Shift']);
else if (task === 'type') void session.keyboard.type('a\b'.repeat(1000));
process.stdout.write('ready');
setInterval(() => undefined, 1000);
