import { Refusal } from '#platform/contract/refusal.ts';
import { handle, type ServerContext, type Handler } from '#platform/server/tool.ts';
import { deletevisitormessage, spmessage, visitorArrived, visitormessages, type VisitorMessage } from '../contract.ts';
import { toStorableText, validateLetter } from '../domain/message.ts';
import { createVisitorStore, type StoredLetter } from './visitorStore.ts';

const MAX_LISTED_MESSAGES = 200;
const NO_OWNER_MESSAGE = 'This server has no owner yet, so no one can read your message. Try again later';
const LOW_DISK_SPACE_MESSAGE = "This server is low on disk space, so it can't accept messages now. Try again later";

const toVisitorMessage = ({ id, name, text, received }: StoredLetter): VisitorMessage => ({
  id,
  name,
  text,
  received: received.toString(),
});

/** Returns a visitor's text in a form that the database accepts: it may contain lone surrogates. */
const toStorable = (text: string): string => toStorableText(text).toWellFormed();

/** Creates the handlers of the public form, and of the owner's access to its messages. */
export function createVisitorHandlers({ database, disk, identity, realtime, now }: ServerContext): readonly Handler[] {
  const visitors = createVisitorStore(database);
  async function requireOwner(account: number): Promise<void> {
    if (!(await identity.findAccount(account))?.isOwner)
      throw new Refusal('account.owner_only', "Only the owner of this server can see visitors' messages");
  }
  return [
    handle(spmessage, async ({ message, message2, website }) => {
      const letter = { name: message, text: message2 };
      validateLetter(letter);
      if (website !== undefined && website !== '') return; // a bot filled in the hidden field
      const owner = await identity.findOwner();
      if (!owner) throw new Refusal('account.no_owner', NO_OWNER_MESSAGE);
      if (!disk.canStoreFiles()) throw new Refusal('disk.low', LOW_DISK_SPACE_MESSAGE);
      const stored = await visitors.insert(
        owner.id,
        { name: toStorable(message).trim(), text: toStorable(message2).trimEnd() },
        now(),
      );
      realtime.send(`account:${owner.id}`, visitorArrived, toVisitorMessage(stored));
    }),
    handle(visitormessages, async (_, { account }) => {
      await requireOwner(account);
      return { visitors: (await visitors.listNewest(account, MAX_LISTED_MESSAGES)).map(toVisitorMessage) };
    }),
    handle(deletevisitormessage, async ({ id }, { account }) => {
      await requireOwner(account);
      if (!(await visitors.remove(account, id)))
        throw new Refusal('messages.message_not_found', 'There is no such message. It may have been deleted');
    }),
  ];
}

/** Returns a function that exports the visitors' messages of an owner, oldest first. */
export function createVisitorExport({ database }: ServerContext) {
  const visitors = createVisitorStore(database);
  return async (account: number): Promise<{ readonly visitors: readonly VisitorMessage[] }> => ({
    visitors: (await visitors.listByAccount(account)).map(toVisitorMessage),
  });
}
