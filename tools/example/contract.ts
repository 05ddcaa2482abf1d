import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';
import { serverEvent } from '#platform/contract/event.ts';
import { id, requestedId } from '#platform/contract/fields.ts';

/** Maximum length of a note, in code points. */
export const MAX_NOTE_LENGTH = 200;
/** Maximum number of notes per account. */
export const MAX_NOTES = 100;

const note = z.object({
  id,
  text: z.string(),
  /** ISO 8601. */
  created: z.string(),
});

export const listnotes = call({
  route: 'GET /api/example/listnotes',
  summary: 'Lists the notes of the account, newest first.',
  access: 'account',
  answer: z.object({ notes: z.array(note) }),
});

export const addnote = call({
  route: 'POST /api/example/addnote',
  summary: 'Adds a note.',
  access: 'account',
  request: z.object({ text: z.string() }),
  answer: z.object({ note }),
});

export const deletenote = call({
  route: 'POST /api/example/deletenote',
  summary: 'Deletes a note.',
  access: 'account',
  request: z.object({ id: requestedId }),
});

/** A note of the account was added. Sent to all of its pages. */
export const noteAdded = serverEvent({ name: 'examplenoteadded', data: z.object({ note }), delivery: 'all' });

/** A note of the account was deleted. Sent to all of its pages. */
export const noteDeleted = serverEvent({ name: 'examplenotedeleted', data: z.object({ id }), delivery: 'all' });
