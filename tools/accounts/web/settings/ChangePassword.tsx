import { Button, PasswordInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Refusal } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/app/call.ts';
import { notices } from '#platform/web/app/notices.ts';
import { useSession } from '#platform/web/app/session.ts';
import { Card } from '#platform/web/ui/Card.tsx';
import { changepassword } from '../../contract.ts';
import { FormError } from './FormError.tsx';
import styles from './AccountPanel.module.css';

/** Two fields, two buttons: each says which password it shows. */
const show = (which: string) => ({
  visibilityToggleButtonProps: { 'aria-label': `Show password (${which})`, tabIndex: 0 },
});

/** Another password; ends all other sessions. */
export function ChangePassword({ changed }: { readonly changed: () => Promise<unknown> }) {
  const username = useSession()?.username ?? '';
  const [password, setPassword] = useState('');
  const [newPassword, setNewPassword] = useState('');
  const change = useMutation({
    mutationFn: async () => {
      if (password === '') throw new Refusal('Enter your current password');
      if (newPassword === '') throw new Refusal('Enter the new password');
      return call(changepassword, { password, newPassword });
    },
    onSuccess: async ({ ended }) => {
      setPassword('');
      setNewPassword('');
      notices.add(
        'good',
        ended === 0 ? 'The password is changed' : `The password is changed, other sessions ended: ${ended}`,
      );
      await changed();
    },
  });
  return (
    <Card title="Change password">
      <form
        className={styles['form']}
        data-bad={change.isError || undefined}
        onSubmit={(event) => {
          event.preventDefault();
          if (!change.isPending) change.mutate();
        }}
      >
        {/* Password managers want to know whose it is. */}
        <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
        <PasswordInput
          {...show('current')}
          label="Current password"
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <PasswordInput
          {...show('new')}
          label="New password"
          autoComplete="new-password"
          value={newPassword}
          onChange={(event) => setNewPassword(event.currentTarget.value)}
        />
        <FormError error={change.error} />
        <Button type="submit" variant="primary" loading={change.isPending}>
          Change
        </Button>
        <p className={styles['quiet']}>Ends all other sessions and all app passwords. Paired computers stay.</p>
      </form>
    </Card>
  );
}
