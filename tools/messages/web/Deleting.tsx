import { useState } from 'react';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/failure.ts';
import { RetentionMenu, type RetentionCalls } from '#platform/web/page/RetentionMenu.tsx';
import { DiscardDialog } from '#platform/web/ui/Dialog.tsx';
import { clearmessages, deletemessages, messagesretention, setmessagesretention } from '../contract.ts';
import type { Entry } from './thread.ts';
import type { OwnBrowser } from './useOwnBrowser.ts';

const calls: RetentionCalls = {
  queryKey: 'messagesretention',
  get: async () => (await call(messagesretention, {})).period,
  set: (period) => call(setmessagesretention, { period }),
};

interface ConversationMenuProps {
  readonly name: string;
  readonly target: string;
  readonly own: OwnBrowser | undefined;
}

/** How long messages are stored, and deleting a conversation. */
export function ConversationMenu({ name, target, own }: ConversationMenuProps) {
  return (
    <RetentionMenu
      label="Stored messages"
      calls={calls}
      clearing={{
        item: 'Delete conversation',
        title: `Delete the conversation with ${name}?`,
        text: 'All of its messages are deleted from the server and on all your devices.',
        run: () => call(clearmessages, { target, ...(own === undefined ? {} : { from: own.id }) }),
      }}
    />
  );
}

/** Deleting one message: asks first. Gives what begins it, and the question while it stands. */
export const useDeleting = () => {
  const [deleting, setDeleting] = useState<Partial<Entry>>();
  const question =
    deleting?.id === undefined ? null : (
      <DiscardDialog
        title="Delete this message?"
        keepLabel="Cancel"
        onKeep={() => setDeleting(undefined)}
        discardLabel="Delete"
        onDiscard={() => {
          setDeleting(undefined);
          if (deleting.id !== undefined) call(deletemessages, { ids: [deleting.id] }).catch(showError);
        }}
      >
        It disappears from the server and on all your devices.
      </DiscardDialog>
    );
  return { remove: setDeleting as (entry: Omit<Entry, 'id'>) => void, question };
};
