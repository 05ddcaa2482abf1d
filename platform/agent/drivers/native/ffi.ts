import type * as Ffi from 'node:ffi';
import { Refusal } from '#platform/contract/refusal.ts';

const TOO_OLD_MESSAGE = `The agent needs Node 26.10 or newer on this desktop; this is ${process.version}. Install a newer Node on that computer, or start the agent with npx`;

/**
 * Returns Node's built-in module for calls into native libraries. It is not imported, because the agent must start on
 * Nodes that lack it.
 * @throws Refusal if this Node is too old.
 */
export function getFfi(): typeof Ffi {
  const ffi = process.getBuiltinModule('node:ffi') as typeof Ffi | undefined;
  if (!ffi) throw new Refusal('agent.node_too_old', TOO_OLD_MESSAGE);
  return ffi;
}
