import { DiscardDialog } from '#platform/web/ui/Dialog.tsx';

interface LogOutDialogProps {
  /** Changes that are in this browser alone. */
  readonly unsentCount: number;
  readonly onStay: () => void;
  readonly onLogOut: () => void;
}

/** Logging out takes away what this browser keeps: asks first where the server has not got all of it. */
export function LogOutDialog({ unsentCount, onStay, onLogOut }: LogOutDialogProps) {
  return (
    <DiscardDialog
      title="Log out and lose changes?"
      keepLabel="Stay logged in"
      onKeep={onStay}
      discardLabel="Log out"
      onDiscard={onLogOut}
    >
      {unsentCount === 1 ? 'One change is' : `${unsentCount} changes are`} in this browser only: the server has not got
      {unsentCount === 1 ? ' it' : ' them'} yet. Logging out takes {unsentCount === 1 ? 'it' : 'them'} away.
    </DiscardDialog>
  );
}
