import { hash, randomInt } from 'node:crypto';
import { isSamePresence, UNKNOWN, type Change } from '../domain/status.ts';
import { generateCode, shownCode } from '../domain/visibilityCode.ts';
import { statusPage } from '../page.ts';
import type { Order } from './chatPlatform.ts';
import type { MemberChange, StatusStore } from './statusStore.ts';

/** Codes are kept by this alone: a copy of the database shows nobody's days. */
export function codeHash(code: string): string {
  return hash('sha256', `chatstatus ${code}`, 'base64url');
}

interface OrdersDeps {
  /** Of the platform that the people are on. */
  readonly platform: string;
  /** Where people enter their code, where that is known: 'https://example.org/sleepstatus'. */
  readonly page: string | undefined;
}

/** What was done. */
interface Done {
  readonly answer: string;
  /** How the person who asked is recorded from now on, where that is another than before. */
  readonly becomes?: MemberChange | 'not recorded';
}

/** Does it in a transaction, which may be begun anew: it changes nothing but rows. `now` is how the person stands. */
type CommandAction = (person: string, now: Change, store: StatusStore) => Promise<Done>;

/** Writes it behind somebody's last change, if it is another one, and gives what stands. A clock that was turned back does not turn back what is written. */
const append = async (store: StatusStore, { member, at, presence }: MemberChange): Promise<MemberChange> => {
  const last = await store.changeAt(member, Number.MAX_SAFE_INTEGER);
  if (last && isSamePresence(last.presence, presence)) return last;
  const change = { member, at: Math.max(at, last?.at ?? 0), presence };
  await store.write([change]);
  return change;
};

/** What the bot does when it is asked. */
export function createOrders({ platform, page }: OrdersDeps): Readonly<Record<Order, CommandAction>> {
  const howTo = (code: string): string => {
    const shown = shownCode(code);
    // Browsers send no server what stands behind the #.
    const where = page === undefined ? `Enter it at ${statusPage.path} of this server` : `Open <${page}#${shown}>`;
    return `Your code is \`${shown}\`. ${where}. Whoever has it sees your days.`;
  };
  return {
    start: async (person, now, store) => {
      const member = await store.memberOf(platform, person);
      if (member?.isRecorded)
        return { answer: 'Your status is recorded already. `/schedule code` gives you a new code.' };
      if (member) {
        await store.setRecorded(member.id, true);
        return {
          answer:
            'Your status is recorded again from now on. The code that you had shows it; `/schedule code` gives you a new one.',
          becomes: await append(store, { ...now, member: member.id }),
        };
      }
      const code = generateCode(randomInt);
      const id = await store.add(platform, person, codeHash(code));
      return {
        answer: `Your status is recorded from now on, and kept for a year. ${howTo(code)} \`/schedule stop\` ends it, \`/schedule forget\` deletes everything.`,
        becomes: await append(store, { ...now, member: id }),
      };
    },
    code: async (person, _, store) => {
      const member = await store.memberOf(platform, person);
      if (!member) return { answer: 'Nothing is recorded of you. `/schedule start` begins it.' };
      const code = generateCode(randomInt);
      await store.setCode(member.id, codeHash(code));
      return { answer: `${howTo(code)} An earlier code shows nothing any more.` };
    },
    stop: async (person, { at }, store) => {
      const member = await store.memberOf(platform, person);
      if (!member?.isRecorded) return { answer: 'Your status is not recorded.' };
      await append(store, { member: member.id, at, presence: UNKNOWN });
      await store.setRecorded(member.id, false);
      return {
        answer:
          'Your status is not recorded any more. What was recorded stays under your code; `/schedule forget` deletes it.',
        becomes: 'not recorded',
      };
    },
    forget: async (person, _, store) => {
      const member = await store.memberOf(platform, person);
      if (!member) return { answer: 'Nothing is recorded of you.' };
      await store.remove(member.id);
      return {
        answer: 'Everything that was recorded of you is deleted, and your code with it.',
        becomes: 'not recorded',
      };
    },
  };
}
