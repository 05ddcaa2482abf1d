import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { call } from '#platform/web/app/call.ts';
import { notices } from '#platform/web/app/notices.ts';
import { showError } from '#platform/web/app/showError.ts';
import { answershoplist } from '#tools/shopping/contract.ts';
import type { Planner, Invitation } from '../plannerTypes.ts';
import styles from './Invitations.module.css';

interface InvitationRowProps {
  readonly invitation: Invitation;
  /** The lists changed. */
  readonly onAnswered: (joined: boolean) => void;
}

/** An invitation to a list, with buttons to join or decline. */
export function InvitationRow({ invitation, onAnswered }: InvitationRowProps) {
  const { id, name, from } = invitation;
  const answerMutation = useMutation({
    mutationFn: (join: boolean) => call(answershoplist, { id, join }),
    onSuccess: (_, join) => {
      notices.add('good', join ? `You joined ${name}` : `You declined the invitation to ${name}`);
      onAnswered(join);
    },
    onError: showError,
  });
  return (
    <li className={styles['invitation']}>
      <p dir="auto">
        <b>{name}</b>
        <small>from {from}</small>
      </p>
      <Button
        size="compact-sm"
        variant="primary"
        aria-label={`Join ${name}`}
        disabled={answerMutation.isPending}
        onClick={() => answerMutation.mutate(true)}
      >
        Join
      </Button>
      <Button
        size="compact-sm"
        aria-label={`Decline ${name}`}
        disabled={answerMutation.isPending}
        onClick={() => answerMutation.mutate(false)}
      >
        Decline
      </Button>
    </li>
  );
}

interface InvitationsProps {
  readonly planner: Planner;
  /** Opens a list that was just joined. */
  readonly onSelect: (key: string) => void;
}

/** Invitations that this account has not answered. */
export function Invitations({ planner, onSelect }: InvitationsProps) {
  return (
    <ul className={styles['invitations']} aria-label="Invitations">
      {planner.invitations.map((invitation) => (
        <InvitationRow
          key={invitation.id}
          invitation={invitation}
          onAnswered={(joined) => {
            planner.reload();
            if (joined) onSelect(String(invitation.id));
          }}
        />
      ))}
    </ul>
  );
}
