import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { AgentContext } from '#platform/agent/tool.ts';
import { Refusal } from '#platform/contract/refusal.ts';

/** SHA-256 of contents: those approved, and by name those that were asked for and wait. */
const approvalFile = z.object({ approved: z.array(z.string()), waiting: z.record(z.string(), z.string()) });
type Approvals = z.output<typeof approvalFile>;

const pathIn = (stateDir: string): string => join(stateDir, 'approvals.json');

const load = (stateDir: string): Approvals => {
  const path = pathIn(stateDir);
  return existsSync(path) ? approvalFile.parse(JSON.parse(readFileSync(path, 'utf8'))) : { approved: [], waiting: {} };
};

const save = (stateDir: string, approvals: Approvals): void => {
  const path = pathIn(stateDir);
  writeFileSync(`${path}.part`, JSON.stringify(approvals), { mode: 0o600 });
  renameSync(`${path}.part`, path);
};

/**
 * Where the agent runs with `--confirm`, every content is approved once on the computer itself.
 * @throws Refusal until it is; the person at the computer is asked by a notification.
 */
export const refuseUnapproved = async (ground: AgentContext, name: string, text: string): Promise<void> => {
  const { stateDir, drivers, print, isConfirmationRequired } = ground;
  if (!isConfirmationRequired) return;
  const digest = createHash('sha256').update(text).digest('hex');
  const approvals = load(stateDir);
  if (approvals.approved.includes(digest)) return;
  save(stateDir, { ...approvals, waiting: { ...approvals.waiting, [name]: digest } });
  const question = `Script '${name}' wants to run. To allow it: agent approve ${name}`;
  print(question);
  if (drivers.notifications.ability.able) await drivers.notifications.show('Pegboard', question);
  throw new Refusal(`'${name}' waits for approval on that computer: agent approve ${name}`);
};

/** Approves the content that was asked for last under that name. @throws Refusal when there is none. */
export const approveScript = (stateDir: string, name: string): void => {
  const { approved, waiting } = load(stateDir);
  const digest = Object.hasOwn(waiting, name) ? waiting[name] : undefined;
  if (digest === undefined) throw new Refusal(`No script '${name}' waits for approval`);
  const rest = Object.fromEntries(Object.entries(waiting).filter(([other]) => other !== name));
  save(stateDir, { approved: [...approved, digest], waiting: rest });
};
