import { Refusal } from '#platform/contract/refusal.ts';
import { handle, type Handler, type ServerContext } from '#platform/server/tool.ts';
import { addnote, deletenote, listnotes, MAX_NOTES, noteAdded, noteDeleted } from '../contract.ts';
import { parseNoteText } from '../domain/note.ts';
import type { NoteStore } from './noteStore.ts';

/** Creates the handlers of the calls in the contract. */
export function createNoteHandlers({ realtime, now }: ServerContext, notes: NoteStore): readonly Handler[] {
  return [
    handle(listnotes, async (_request, { account }) => ({ notes: [...(await notes.list(account))] })),

    handle(addnote, async ({ text: input }, { account }) => {
      const text = parseNoteText(input);
      // Simultaneous requests can exceed the limit by a few notes, which is harmless.
      if ((await notes.count(account)) >= MAX_NOTES)
        throw new Refusal('example.too_many', `You have the maximum of ${MAX_NOTES} notes. Delete one first`);
      const note = await notes.insert(account, text, now());
      realtime.send(`account:${account}`, noteAdded, { note });
      return { note };
    }),

    handle(deletenote, async ({ id }, { account }) => {
      if (!(await notes.remove(account, id)))
        throw new Refusal('example.not_found', 'There is no such note. It may have been deleted');
      realtime.send(`account:${account}`, noteDeleted, { id });
    }),
  ];
}
