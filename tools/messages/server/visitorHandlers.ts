import { Refusal } from '#platform/contract/refusal.ts';
import { handle, type ServerContext, type Handler } from '#platform/server/tool.ts';
import { deletevisitormessage, spmessage, visitorArrived, visitormessages, type VisitorMessage } from '../contract.ts';
import { keepable, checkLetter } from '../domain/message.ts';
import { visitorStore, type KeptLetter } from './visitorStore.ts';

/** Visitors' messages that are answered. */
const ANSWERED = 200;
const NO_OWNER = 'This server has no owner yet, so nobody would read your message';
const NO_ROOM = 'The disk of this server is nearly full, so it takes no messages now. Try again later';

const shown = ({ id, name, text, received }: KeptLetter): VisitorMessage => ({
  id,
  name,
  text,
  received: received.toString(),
});

/** As every database takes it, and every socket: halves of a surrogate pair are no characters. */
const clean = (text: string): string => keepable(text).toWellFormed();

/** The public form, and what the owner does with what came by it. */
export function visitorCalls({ database, disk, identity, realtime, now }: ServerContext): readonly Handler[] {
  const visitors = visitorStore(database);
  const refuseOthers = async (account: number): Promise<void> => {
    if (!(await identity.findAccount(account))?.isOwner)
      throw new Refusal('Only the owner of this server has visitors’ messages');
  };
  return [
    handle(spmessage, async ({ message, message2, website }) => {
      const letter = { name: message, text: message2 };
      checkLetter(letter);
      if (website !== undefined && website !== '') return {}; // a program filled in what people do not see
      const owner = await identity.findOwner();
      if (!owner) throw new Refusal(NO_OWNER);
      if (!disk.canStoreFiles()) throw new Refusal(NO_ROOM);
      const kept = await visitors.keep(
        owner.id,
        { name: clean(message).trim(), text: clean(message2).trimEnd() },
        now(),
      );
      realtime.send(`account:${owner.id}`, visitorArrived, shown(kept));
      return {};
    }),
    handle(visitormessages, async (_, { account }) => {
      await refuseOthers(account);
      return { visitors: (await visitors.newest(account, ANSWERED)).map(shown) };
    }),
    handle(deletevisitormessage, async ({ id }, { account }) => {
      await refuseOthers(account);
      if (!(await visitors.remove(account, id))) throw new Refusal('no such message');
      return {};
    }),
  ];
}

/** Visitors' messages of an owner's account, oldest first. */
export function visitorExport({ database }: ServerContext) {
  const visitors = visitorStore(database);
  return async (account: number): Promise<{ readonly visitors: readonly VisitorMessage[] }> => ({
    visitors: (await visitors.ofAccount(account)).map(shown),
  });
}
