import { ConfirmDialog } from '#platform/web/ui/Dialog.tsx';

interface LogOutDialogProps {
  /** Changes that exist only in this browser. */
  readonly unsentCount: number;
  readonly onStay: () => void;
  readonly onLogOut: () => void;
}

/** Warns that a logout would remove changes that the server does not have. */
export function LogOutDialog({ unsentCount, onStay, onLogOut }: LogOutDialogProps) {
  return (
    <ConfirmDialog
      title="Log out and lose changes?"
      cancelLabel="Stay logged in"
      onCancel={onStay}
      confirmLabel="Log out"
      onConfirm={onLogOut}
    >
      {unsentCount === 1 ? 'One change is' : `${unsentCount} changes are`} not on the server yet. If you log out now,
      you lose {unsentCount === 1 ? 'it' : 'them'}
    </ConfirmDialog>
  );
}
