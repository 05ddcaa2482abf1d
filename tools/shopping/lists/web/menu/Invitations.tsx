import type { Planner } from '../plannerTypes.ts';
import { InvitationRow } from './InvitationRow.tsx';
import styles from './InvitationRow.module.css';

interface InvitationsProps {
  readonly planner: Planner;
  /** A list that was just joined. */
  readonly onPick: (key: string) => void;
}

/** Lists that others want to share with this account. */
export function Invitations({ planner, onPick }: InvitationsProps) {
  return (
    <ul className={styles['invitations']} aria-label="Invitations">
      {planner.invitations.map((invitation) => (
        <InvitationRow
          key={invitation.id}
          invitation={invitation}
          onAnswered={(joined) => {
            planner.reload();
            if (joined) onPick(String(invitation.id));
          }}
        />
      ))}
    </ul>
  );
}
