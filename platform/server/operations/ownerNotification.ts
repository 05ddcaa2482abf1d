import type { FastifyBaseLogger } from 'fastify';
import type { Identity } from '../identity/identity.ts';
import type { Push, PushMessage } from '../push/push.ts';

interface OwnerNotificationDeps {
  readonly identity: Pick<Identity, 'findOwner'>;
  readonly push: Pick<Push, 'send'>;
  readonly log: FastifyBaseLogger;
}

/** Notifies the owner's browsers. A failure is logged, because no caller waits for the result. */
export async function notifyOwner({ identity, push, log }: OwnerNotificationDeps, message: PushMessage): Promise<void> {
  try {
    const owner = await identity.findOwner();
    if (owner) await push.send(owner.id, message);
  } catch (error) {
    log.error({ err: error, tag: message.tag }, 'owner.notification.failed');
  }
}
