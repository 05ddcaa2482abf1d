import { hash, randomInt } from 'node:crypto';
import { makeCode, shownCode } from '../domain/code.ts';
import { statusPage } from '../page.ts';
import type { Order } from './platform.ts';
import type { StatusStore } from './store.ts';

/** Codes are kept by this alone: a copy of the database shows nobody's days. */
export const codeHash = (code: string): string => hash('sha256', `chatstatus ${code}`, 'base64url');

interface OrdersGround {
  /** Of the platform that the people are on. */
  readonly platform: string;
  /** Where people enter their code, where that is known: 'https://example.org/sleepstatus'. */
  readonly page: string | undefined;
  /** Somebody is recorded from now on. */
  readonly began: (person: string, member: number, store: StatusStore) => Promise<void>;
  /** Somebody is not recorded from now on. */
  readonly ended: (person: string, store: StatusStore) => Promise<void>;
}

/** Does it, all of it within one transaction, and gives the answer. */
type Doing = (person: string, store: StatusStore) => Promise<string>;

/** What the bot does when it is asked. */
export const makeOrders = ({ platform, page, began, ended }: OrdersGround): Readonly<Record<Order, Doing>> => {
  const howTo = (code: string): string => {
    const shown = shownCode(code);
    // Browsers send no server what stands behind the #.
    const where = page === undefined ? `Enter it at ${statusPage.path} of this server` : `Open <${page}#${shown}>`;
    return `Your code is \`${shown}\`. ${where}. Whoever has it sees your days.`;
  };
  return {
    start: async (person, store) => {
      const member = await store.memberOf(platform, person);
      if (member?.isRecorded) return 'Your status is recorded already. `/schedule code` gives you a new code.';
      if (member) {
        await store.setRecorded(member.id, true);
        await began(person, member.id, store);
        return 'Your status is recorded again from now on. The code that you had shows it; `/schedule code` gives you a new one.';
      }
      const code = makeCode(randomInt);
      await began(person, await store.add(platform, person, codeHash(code)), store);
      return `Your status is recorded from now on, and kept for a year. ${howTo(code)} \`/schedule stop\` ends it, \`/schedule forget\` deletes everything.`;
    },
    code: async (person, store) => {
      const member = await store.memberOf(platform, person);
      if (!member) return 'Nothing is recorded of you. `/schedule start` begins it.';
      const code = makeCode(randomInt);
      await store.setCode(member.id, codeHash(code));
      return `${howTo(code)} An earlier code shows nothing any more.`;
    },
    stop: async (person, store) => {
      const member = await store.memberOf(platform, person);
      if (!member?.isRecorded) return 'Your status is not recorded.';
      await ended(person, store);
      await store.setRecorded(member.id, false);
      return 'Your status is not recorded any more. What was recorded stays under your code; `/schedule forget` deletes it.';
    },
    forget: async (person, store) => {
      const member = await store.memberOf(platform, person);
      if (!member) return 'Nothing is recorded of you.';
      if (member.isRecorded) await ended(person, store);
      await store.remove(member.id);
      return 'Everything that was recorded of you is deleted, and your code with it.';
    },
  };
};
