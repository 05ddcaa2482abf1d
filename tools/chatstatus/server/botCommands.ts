import { hash, randomInt } from 'node:crypto';
import { isSamePresence, UNKNOWN, type Change } from '../domain/status.ts';
import { generateCode, formatCode } from '../domain/visibilityCode.ts';
import { statusPage } from '../page.ts';
import type { Order } from './chatPlatform.ts';
import type { MemberChange, StatusStore } from './statusStore.ts';

/** Hashes a visibility code. Only hashes are stored, so a copy of the database reveals no one's days. */
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
    const shown = formatCode(code);
    // Browsers don't send the part after # to servers.
    const where = page === undefined ? `Enter it at ${statusPage.path} on this server` : `Open <${page}#${shown}>`;
    return `Your code is \`${shown}\`. ${where}. Anyone with the code can see your days.`;
  };
  return {
    start: async (person, now, store) => {
      const member = await store.findMember(platform, person);
      if (member?.isRecorded)
        return { answer: 'Your status is already being recorded. Use `/schedule code` to get a new code' };
      if (member) {
        await store.setRecorded(member.id, true);
        return {
          answer:
            'Your status is being recorded again. Your old code still works. Use `/schedule code` to get a new one',
          becomes: await append(store, { ...now, member: member.id }),
        };
      }
      const code = generateCode(randomInt);
      const id = await store.add(platform, person, codeHash(code));
      return {
        answer: `Your status is now being recorded and is stored for a year. ${howTo(code)} Use \`/schedule stop\` to stop, or \`/schedule forget\` to delete everything`,
        becomes: await append(store, { ...now, member: id }),
      };
    },
    code: async (person, _, store) => {
      const member = await store.findMember(platform, person);
      if (!member) return { answer: 'You have no recorded days. Use `/schedule start` to start recording' };
      const code = generateCode(randomInt);
      await store.setCode(member.id, codeHash(code));
      return { answer: `${howTo(code)} Your old code no longer works` };
    },
    stop: async (person, { at }, store) => {
      const member = await store.findMember(platform, person);
      if (!member?.isRecorded) return { answer: 'Your status is not being recorded' };
      await append(store, { member: member.id, at, presence: UNKNOWN });
      await store.setRecorded(member.id, false);
      return {
        answer: 'Recording stopped. Your code still shows your recorded days. Use `/schedule forget` to delete them',
        becomes: 'not recorded',
      };
    },
    forget: async (person, _, store) => {
      const member = await store.findMember(platform, person);
      if (!member) return { answer: 'You have no recorded days' };
      await store.remove(member.id);
      return {
        answer: 'All your recorded days and your code were deleted',
        becomes: 'not recorded',
      };
    },
  };
}
