import { hash, randomInt } from 'node:crypto';
import { isSamePresence, UNKNOWN, type Change } from '../domain/status.ts';
import { generateCode, shownCode } from '../domain/visibilityCode.ts';
import { statusPage } from '../page.ts';
import type { Order } from './chatPlatform.ts';
import type { MemberChange, StatusStore } from './statusStore.ts';

/** Hashes a visibility code. Only hashes are stored, so a copy of the database reveals nobody's days. */
export function codeHash(code: string): string {
  return hash('sha256', `chatstatus ${code}`, 'base64url');
}

interface OrdersDeps {
  /** Name of the platform, such as 'discord'. */
  readonly platform: string;
  /** Address of the page where people enter their code, if known: 'https://example.org/sleepstatus'. */
  readonly page: string | undefined;
}

/** Result of a bot command. */
interface CommandResult {
  readonly answer: string;
  /** How the person is recorded from now on, if that has changed. */
  readonly becomes?: MemberChange | 'not recorded';
}

/**
 * Runs a command in a transaction that may be retried, so it must change nothing but rows. `now` is the current
 * presence.
 */
type CommandAction = (person: string, now: Change, store: StatusStore) => Promise<CommandResult>;

/**
 * Appends a change unless the presence is the same, and returns the last change. A clock that was set back doesn't move
 * stored times back.
 */
const append = async (store: StatusStore, { member, at, presence }: MemberChange): Promise<MemberChange> => {
  const last = await store.changeAt(member, Number.MAX_SAFE_INTEGER);
  if (last && isSamePresence(last.presence, presence)) return last;
  const change = { member, at: Math.max(at, last?.at ?? 0), presence };
  await store.write([change]);
  return change;
};

/** Creates the actions behind the commands of the bot. */
export function createOrders({ platform, page }: OrdersDeps): Readonly<Record<Order, CommandAction>> {
  const howTo = (code: string): string => {
    const shown = shownCode(code);
    // Browsers don't send the part after # to servers.
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
