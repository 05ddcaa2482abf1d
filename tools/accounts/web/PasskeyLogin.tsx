import { Button } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { secondStepClient } from '#platform/web/app/secondStepClient.ts';
import type { Session } from '#platform/web/app/session.ts';
import { provePasskey } from '#platform/web/browser/passkeys.ts';

export interface PasskeyLoginProps {
  readonly days: 1 | 30;
  readonly onLogin: (login: Session) => void;
  readonly onError: (error: Error) => void;
}

/** Logs in with a passkey instead of username and password. */
export function PasskeyLogin({ days, onLogin, onError }: PasskeyLoginProps) {
  const logIn = useMutation({
    mutationFn: async () => {
      const { ticket, options } = await secondStepClient.startPasskeyLogin();
      return secondStepClient.finish({ ticket, days, passkey: await provePasskey(options) });
    },
    onSuccess: ({ token, username }) => onLogin({ token, username }),
    onError,
  });
  return (
    <Button
      size="lg"
      fullWidth
      loading={logIn.isPending}
      leftSection={<IconFingerprint size={18} stroke={1.75} />}
      onClick={() => logIn.mutate()}
    >
      Log in with a passkey
    </Button>
  );
}
