import type { FastifyBaseLogger } from 'fastify';
import type { Identity } from '../identity/identity.ts';
import type { Push, PushMessage } from '../push/push.ts';

const GIB = 1024 ** 3;

interface DiskWarningDeps {
  readonly identity: Pick<Identity, 'findOwner'>;
  readonly push: Pick<Push, 'send'>;
  readonly log: FastifyBaseLogger;
  /** Page that shows the free space. */
  readonly path: PushMessage['path'];
}

/** Notifies the owner's browsers that the disk is filling up. */
export async function sendDiskWarning({ identity, push, log, path }: DiskWarningDeps, freeBytes: number) {
  try {
    const owner = await identity.findOwner();
    if (owner === undefined) return;
    await push.send(owner.id, {
      title: 'This server is running out of disk space',
      body: `${(freeBytes / GIB).toFixed(1)} GiB are free. Free some space before it is full`,
      path,
      tag: 'disk-warning',
    });
  } catch (error) {
    log.error({ err: error }, 'disk.warning.unsent');
  }
}
