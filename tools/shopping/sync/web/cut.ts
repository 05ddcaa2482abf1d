import { LIMITS } from '../../lists/domain/list.ts';
import { bodyOf, freeze, type Replica } from '../domain/replica.ts';

/** Of a body of 256 KiB, which holds more than the changes. */
const MAX_BATCH_BYTES = 200 * 1024;
const MAX_BATCH_CHANGES = LIMITS.changes / 2;

const bytesOf = (replica: Replica): number => {
  const { frozen } = replica;
  return frozen ? new Blob([JSON.stringify(bodyOf(replica, frozen, 0))]).size : 0;
};

/** Freezes as much of what is pending as one call takes; the rest stays pending. */
export const freezeSome = (replica: Replica): Replica => {
  const { pending } = replica;
  const first = (count: number): Replica => ({
    ...freeze({ ...replica, pending: pending.slice(0, count) }),
    pending: pending.slice(count),
  });
  if (replica.frozen !== undefined || pending.length === 0) return replica;
  let count = Math.min(pending.length, MAX_BATCH_CHANGES);
  let next = first(count);
  // Few changes cannot be too large: texts have their limits. The count saves measuring nearly all of them.
  while (count > 50 && bytesOf(next) > MAX_BATCH_BYTES) next = first((count = Math.ceil(count / 2)));
  return next;
};
