import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Account } from '../identity/identity.ts';
import type { Push, PushMessage } from '../push/push.ts';
import { notifyOwner } from './ownerNotification.ts';

const MESSAGE: PushMessage = { title: 'Backup failed', body: 'The disk is full', path: '/settings', tag: 'backup' };

async function notify(owner: Pick<Account, 'id'> | undefined, send: Push['send']): Promise<readonly string[]> {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  await notifyOwner(
    { identity: { findOwner: async () => owner as Account | undefined }, push: { send }, log },
    MESSAGE,
  );
  return lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
}

test('only the owner gets the message', async () => {
  const sent: unknown[] = [];
  const send: Push['send'] = async (account, message) => {
    sent.push([account, message]);
    return { sent: 1, failed: 0 };
  };
  expect(await notify({ id: 7 }, send)).toEqual([]);
  expect(await notify(undefined, send)).toEqual([]);
  expect(sent).toEqual([[7, MESSAGE]]);
});

test('a message that cannot be sent is logged, and nothing fails', async () => {
  const events = await notify({ id: 7 }, async () => {
    throw new Error('no service');
  });
  expect(events).toEqual(['owner.notification.failed']);
});
