import type { ServerTool } from '#platform/server/tool.ts';
import { migrations } from './migrations.ts';
import { createNoteHandlers } from './noteHandlers.ts';
import { createNoteStore } from './noteStore.ts';

export const example: ServerTool = {
  name: 'example',
  services: ['database', 'realtime'],
  migrations,
  start: (context) => {
    const notes = createNoteStore(context.database);
    return {
      calls: createNoteHandlers(context, notes),
      exportAccount: async (account) => ({ notes: await notes.list(account) }),
      exportDescription: 'Your notes, newest first.',
    };
  },
};
