import { Button, PasswordInput, TextInput } from '@mantine/core';
import { IconLogin2 } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { AnswerOf } from '#platform/contract/call.ts';
import { completesinglesignon, finishsinglesignon, startsinglesignon } from '#platform/contract/singleSignOn.ts';
import { accountClient } from '#platform/web/app/accountClient.ts';
import { call } from '#platform/web/app/call.ts';
import { Form } from '#platform/web/ui/Form.tsx';
import { SegmentedControl } from '#platform/web/ui/SegmentedControl.tsx';
import { LoginError } from './LoginFields.tsx';
import styles from './Auth.module.css';

export type SignOnOutcome = AnswerOf<typeof finishsinglesignon>;

const DEFAULT_NAME = 'single sign-on';

/** Returns the name of the OpenID provider, for texts. */
function useProviderName(): string {
  const { data } = useQuery({ queryKey: ['serverinfo'], queryFn: accountClient.fetchServerInfo });
  return data?.singleSignOn?.name ?? DEFAULT_NAME;
}

export interface SignOnButtonProps {
  readonly name: string;
  readonly isPrimary: boolean;
  readonly days: 1 | 30;
  /** Page to open after the login. */
  readonly path: string;
  readonly onError: (error: Error) => void;
}

/** Opens the OpenID provider, which opens the login page again. */
export function SignOnButton({ name, isPrimary, days, path, onError }: SignOnButtonProps) {
  const start = useMutation({
    mutationFn: () => call(startsinglesignon, { days, path }),
    onSuccess: ({ address }) => window.location.assign(address),
    onError,
  });
  return (
    <Button
      size="lg"
      fullWidth
      {...(isPrimary ? { variant: 'primary' } : {})}
      loading={start.isPending || start.isSuccess}
      leftSection={<IconLogin2 size={18} stroke={1.75} />}
      onClick={() => start.mutate()}
    >
      Log in with {name}
    </Button>
  );
}

interface ChoiceFormProps {
  readonly choice: NonNullable<SignOnOutcome['choice']>;
  readonly onDone: (result: AnswerOf<typeof completesinglesignon>) => void;
  readonly onCancel: () => void;
}

const CHOICE_OPTIONS = [
  { value: 'create', label: 'New account' },
  { value: 'link', label: 'Existing account' },
] as const;

/** Creates an account for somebody whom the provider has identified, or links an existing one. */
function ChoiceForm({ choice: { ticket, username: suggestion, canCreate }, onDone, onCancel }: ChoiceFormProps) {
  const name = useProviderName();
  const [kind, setKind] = useState<'create' | 'link'>(canCreate ? 'create' : 'link');
  const [username, setUsername] = useState(suggestion);
  const [password, setPassword] = useState('');
  const complete = useMutation({
    mutationFn: () => call(completesinglesignon, { ticket, username, password, create: kind === 'create' }),
    onSuccess: onDone,
  });
  function select(next: 'create' | 'link'): void {
    setKind(next);
    complete.reset();
  }
  return (
    <Form
      className={`${styles['card']} surface hung`}
      aria-label="Choose an account"
      noValidate
      data-bad={complete.isError || undefined}
      isBusy={complete.isPending}
      onSubmit={() => complete.mutate()}
    >
      <h1>Choose your account</h1>
      <p className={styles['hint']}>You logged in with {name}, which is not linked to an account of this server yet</p>
      {canCreate ? <SegmentedControl label="Account" options={CHOICE_OPTIONS} value={kind} onSelect={select} /> : null}
      <TextInput
        label="Username"
        name="username"
        autoComplete="username"
        value={username}
        onChange={(event) => setUsername(event.currentTarget.value)}
      />
      <PasswordInput
        label={kind === 'create' ? 'New password' : 'Password'}
        description={
          kind === 'create'
            ? 'It confirms exports and the deletion of your account'
            : 'It proves that the account is yours'
        }
        name="password"
        autoComplete={kind === 'create' ? 'new-password' : 'current-password'}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <Button type="submit" variant="primary" size="lg" fullWidth loading={complete.isPending}>
        {kind === 'create' ? 'Create account' : 'Link account'}
      </Button>
      {complete.isError ? <LoginError message={complete.error.message} /> : null}
      <p className={styles['other']}>
        <Button variant="subtle" onClick={onCancel}>
          Back
        </Button>
      </p>
    </Form>
  );
}

export interface SignOnCardProps {
  /** Query with which the provider opened the page. */
  readonly response: string;
  /** Called once with the session, the second step or the finished link. */
  readonly onOutcome: (outcome: SignOnOutcome) => void;
  readonly onError: (error: Error) => void;
  readonly onCancel: () => void;
}

/** Finishes a login at the OpenID provider, in place of the login form. */
export function SignOnCard({ response, onOutcome, onError, onCancel }: SignOnCardProps) {
  const name = useProviderName();
  const { data, error } = useQuery({
    queryKey: ['signon', response],
    queryFn: () => call(finishsinglesignon, { response }),
    // The provider's code works once.
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnReconnect: false,
  });
  useEffect(() => {
    if (error !== null) onError(error);
    else if (data !== undefined && data.choice === undefined) onOutcome(data);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- only a new result counts
  }, [data, error]);
  if (data?.choice === undefined)
    return (
      <div className={`${styles['card']} surface hung`} role="status">
        <h1>Log in</h1>
        <p className={styles['hint']}>Finishing the login with {name}</p>
      </div>
    );
  return <ChoiceForm choice={data.choice} onDone={(result) => onOutcome({ ...data, ...result })} onCancel={onCancel} />;
}
