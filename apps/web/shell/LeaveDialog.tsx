import { LosingDialog } from '#platform/web/ui/Dialog.tsx';

interface LeaveDialogProps {
  /** Changes that are in this browser alone. */
  readonly unsent: number;
  readonly onStay: () => void;
  readonly onLeave: () => void;
}

/** Logging out takes away what this browser keeps: asks first where the server has not got all of it. */
export function LeaveDialog({ unsent, onStay, onLeave }: LeaveDialogProps) {
  return (
    <LosingDialog
      title="Log out and lose changes?"
      keep="Stay logged in"
      onKeep={onStay}
      lose="Log out"
      onLose={onLeave}
    >
      {unsent === 1 ? 'One change is' : `${unsent} changes are`} in this browser only: the server has not got
      {unsent === 1 ? ' it' : ' them'} yet. Logging out takes {unsent === 1 ? 'it' : 'them'} away.
    </LosingDialog>
  );
}
