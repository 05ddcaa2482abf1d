import { Button } from '@mantine/core';
import { IconCrown, IconUser, IconUserPlus } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { call } from '#platform/web/app/call.ts';
import { notices } from '#platform/web/app/notices.ts';
import { useSession } from '#platform/web/app/session.ts';
import { showError } from '#platform/web/app/showError.ts';
import { useRealtimeEvent } from '#platform/web/app/useRealtimeEvent.ts';
import { Badge } from '#platform/web/ui/Badge.tsx';
import { ConfirmButton } from '#platform/web/ui/ConfirmButton.tsx';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { Form } from '#platform/web/ui/Form.tsx';
import { QueryState } from '#platform/web/ui/QueryState.tsx';
import { leaveshoplist, shareshoplist, shoplistmembers, shoplistsChanged } from '#tools/shopping/contract.ts';
import type { ListEntry } from '../plannerTypes.ts';
import styles from './ShareDialog.module.css';

/** Loads the members of a list and changes them. */
export function useMembers(list: number) {
  const queryClient = useQueryClient();
  const key = ['shoplistmembers', list] as const;
  const invalidate = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['shoplistmembers'] });
  const members = useQuery({ queryKey: key, queryFn: async () => (await call(shoplistmembers, { id: list })).members });
  useRealtimeEvent(shoplistsChanged, () => void invalidate());
  const invite = useMutation({
    mutationFn: (username: string) => call(shareshoplist, { id: list, username }),
    onSuccess: invalidate,
  });
  const onRemove = useMutation({
    mutationFn: (username: string) => call(leaveshoplist, { id: list, username }),
    onSettled: invalidate,
  });
  return { ...members, invite, onRemove };
}

interface ShareDialogProps {
  readonly entry: ListEntry;
  /** The server's id: a list can be shared once the server has it. */
  readonly list: number;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onLeave: () => Promise<void>;
}

type Members = ReturnType<typeof useMembers>;

/** Form to invite an account. Shows a refusal in the form, and keeps the name. */
function InviteForm({ invite }: Pick<Members, 'invite'>) {
  const [name, setName] = useState('');
  const fieldId = useId();
  const errorId = useId();
  const { error } = invite;
  return (
    <Form
      className={styles['invite']}
      onSubmit={() => {
        const username = name.trim();
        if (username === '' || invite.isPending) return;
        invite.mutate(username, {
          onSuccess: () => {
            setName('');
            notices.add('good', `${username} has been invited`);
          },
        });
      }}
    >
      <label htmlFor={fieldId}>Invite by username</label>
      <span className={styles['row']}>
        <input
          id={fieldId}
          className={styles['field']}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={200}
          value={name}
          aria-invalid={error !== null}
          aria-describedby={error ? errorId : undefined}
          data-autofocus
          onChange={({ currentTarget }) => {
            setName(currentTarget.value);
            if (error) invite.reset();
          }}
        />
        <Button
          type="submit"
          variant="primary"
          loading={invite.isPending}
          leftSection={<IconUserPlus size={16} stroke={1.75} />}
        >
          Invite
        </Button>
      </span>
      {error && (
        <p id={errorId} role="alert" className={styles['problem']}>
          {error.message}
        </p>
      )}
    </Form>
  );
}

interface MemberProps {
  readonly member: NonNullable<Members['data']>[number];
  readonly isSelf: boolean;
  /** Undefined if the current account is not allowed to. */
  readonly onRemove: (() => void) | undefined;
}

function Member({ member, isSelf, onRemove }: MemberProps) {
  const { username, owner, invited } = member;
  const Icon = owner ? IconCrown : IconUser;
  return (
    <li className={styles['member']}>
      <Icon size={18} stroke={1.75} aria-hidden />
      <span className={styles['memberName']} dir="auto">
        {username}
        {isSelf && <small> you</small>}
      </span>
      {owner && <Badge>Owner</Badge>}
      {invited && <Badge tone="orange">Invited</Badge>}
      {onRemove &&
        (invited ? (
          <Button
            size="compact-sm"
            variant="subtle"
            aria-label={`Cancel the invitation to ${username}`}
            onClick={onRemove}
          >
            Cancel invitation
          </Button>
        ) : (
          <ConfirmButton
            size="compact-sm"
            variant="subtle"
            confirmLabel="Confirm Remove"
            aria-label={`Remove ${username}`}
            onConfirm={onRemove}
          >
            Remove
          </ConfirmButton>
        ))}
    </li>
  );
}

/** Members of a list: the owner invites and removes, a member can leave. */
export function ShareDialog({ entry, list, isOpen, onClose, onLeave }: ShareDialogProps) {
  const members = useMembers(list);
  const { data, invite, onRemove } = members;
  const ownName = useSession()?.username;
  const isOwner = entry.owner === undefined;
  return (
    <Dialog title={`Share ${entry.name}`} isOpen={isOpen} onClose={onClose} width={460}>
      {isOwner && <InviteForm invite={invite} />}
      <h3 className={styles['heading']}>Members</h3>
      <QueryState query={members} />
      <ul>
        {data?.map((member) => (
          <Member
            key={member.username}
            member={member}
            isSelf={member.username === ownName}
            onRemove={
              isOwner && !member.owner ? () => onRemove.mutate(member.username, { onError: showError }) : undefined
            }
          />
        ))}
      </ul>
      <p className={styles['note']}>
        {isOwner
          ? 'All members can change this list and see changes immediately. Invitations stay open until they are answered'
          : `${entry.owner ?? ''} owns this list`}
      </p>
      {!isOwner && (
        <ConfirmButton confirmLabel="Confirm Leave" onConfirm={() => void onLeave()}>
          Leave list
        </ConfirmButton>
      )}
    </Dialog>
  );
}
