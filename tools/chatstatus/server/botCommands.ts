import { hash, randomInt } from 'node:crypto';
import { isSamePresence, UNKNOWN, type Change } from '../domain/status.ts';
import { generateCode, formatCode } from '../domain/visibilityCode.ts';
import { statusPage } from '../page.ts';
import type { BotCommand } from './chatPlatform.ts';
import type { MemberChange, StatusStore } from './statusStore.ts';

/** Hashes a visibility code. Only hashes are stored, so a copy of the database reveals no one's days. */
export function hashCode(code: string): string {
  return hash('sha256', `chatstatus ${code}`, 'base64url');
}

interface BotCommandsDeps {
  /** Name of the platform, such as 'discord'. */
  readonly platform: string;
  /** Address of the page where people enter their code, if known: 'https://example.org/sleepstatus'. */
  readonly pageAddress: string | undefined;
}

/** Result of a bot command. */
interface CommandResult {
  readonly answer: string;
  /** How the person is recorded from now on, if that has changed. */
  readonly memberChange?: MemberChange | 'not recorded';
}

/** Runs a command for a person with the current presence. The transaction may be retried, so it changes only rows. */
type CommandAction = (person: string, now: Change, store: StatusStore) => Promise<CommandResult>;

/** Appends a change unless the presence is the same. Returns the last change. Stored times never decrease. */
async function appendChange(store: StatusStore, { member, at, presence }: MemberChange): Promise<MemberChange> {
  const last = await store.findChangeAt(member, Number.MAX_SAFE_INTEGER);
  if (last && isSamePresence(last.presence, presence)) return last;
  const change = { member, at: Math.max(at, last?.at ?? 0), presence };
  await store.saveChanges([change]);
  return change;
}

/** Creates the actions behind the commands of the bot. */
export function createBotCommands({
  platform,
  pageAddress,
}: BotCommandsDeps): Readonly<Record<BotCommand, CommandAction>> {
  function formatInstructions(code: string): string {
    const formattedCode = formatCode(code);
    // Browsers don't send the part after # to servers.
    const instruction =
      pageAddress === undefined
        ? `Enter it at ${statusPage.path} on this server`
        : `Open <${pageAddress}#${formattedCode}>`;
    return `Your code is \`${formattedCode}\`. ${instruction}. Anyone with the code can see your days.`;
  }
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
          memberChange: await appendChange(store, { ...now, member: member.id }),
        };
      }
      const code = generateCode(randomInt);
      const id = await store.insert(platform, person, hashCode(code));
      return {
        answer: `Your status is now being recorded and is stored for a year. ${formatInstructions(code)} Use \`/schedule stop\` to stop, or \`/schedule forget\` to delete everything`,
        memberChange: await appendChange(store, { ...now, member: id }),
      };
    },
    code: async (person, _, store) => {
      const member = await store.findMember(platform, person);
      if (!member) return { answer: 'You have no recorded days. Use `/schedule start` to start recording' };
      const code = generateCode(randomInt);
      await store.setCode(member.id, hashCode(code));
      return { answer: `${formatInstructions(code)} Your old code no longer works` };
    },
    stop: async (person, { at }, store) => {
      const member = await store.findMember(platform, person);
      if (!member?.isRecorded) return { answer: 'Your status is not being recorded' };
      await appendChange(store, { member: member.id, at, presence: UNKNOWN });
      await store.setRecorded(member.id, false);
      return {
        answer: 'Recording stopped. Your code still shows your recorded days. Use `/schedule forget` to delete them',
        memberChange: 'not recorded',
      };
    },
    forget: async (person, _, store) => {
      const member = await store.findMember(platform, person);
      if (!member) return { answer: 'You have no recorded days' };
      await store.remove(member.id);
      return { answer: 'All your recorded days and your code were deleted', memberChange: 'not recorded' };
    },
  };
}
