import { Button, Group, Text } from '@mantine/core';
import { Dialog } from '#platform/web/ui/Dialog.tsx';

interface LeaveDialogProps {
  /** Changes that are in this browser alone. */
  readonly unsent: number;
  readonly onStay: () => void;
  readonly onLeave: () => void;
}

/** Logging out takes away what this browser keeps: asks first where the server has not got all of it. */
export function LeaveDialog({ unsent, onStay, onLeave }: LeaveDialogProps) {
  return (
    <Dialog title="Log out and lose changes?" opened onClose={onStay} width={440}>
      <Text mb="md">
        {unsent === 1 ? 'One change is' : `${unsent} changes are`} in this browser only: the server has not got
        {unsent === 1 ? ' it' : ' them'} yet. Logging out takes {unsent === 1 ? 'it' : 'them'} away.
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onStay} data-autofocus>
          Stay logged in
        </Button>
        <Button color="red" onClick={onLeave}>
          Log out
        </Button>
      </Group>
    </Dialog>
  );
}
