import { Button, Checkbox, TextInput } from '@mantine/core';
import { IconAlertCircle, IconFingerprint } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Refusal } from '#platform/contract/refusal.ts';
import { secondStepClient, type SecondStep } from '../app/secondStepClient.ts';
import type { Session } from '../app/session.ts';
import { findPasskeyProblem } from '../browser/passkeyProblem.ts';
import { provePasskey } from '../browser/passkeys.ts';
import { Form } from '../ui/Form.tsx';
import styles from './SecondStepForm.module.css';

interface SecondStepFormProps {
  readonly step: SecondStep;
  /** How long the session lasts unused. */
  readonly days: 1 | 7 | 30 | 300;
  /** Class of the card, as the login before it. */
  readonly className: string;
  readonly onLogin: (login: Session) => void;
  readonly onCancel: () => void;
}

type Method = 'totp' | 'passkey' | 'recovery';

const INSTRUCTIONS: Readonly<Record<Method, string>> = {
  passkey: 'Your account has a second factor. Confirm this login with your passkey',
  totp: 'Your account has a second factor. Enter the six digits that your authenticator app shows now',
  recovery: 'Enter one of the recovery codes that you stored. Each works once',
};

const FIELDS = {
  totp: { label: 'Code', emptyMessage: 'Enter the code of your authenticator app' },
  recovery: { label: 'Recovery code', emptyMessage: 'Enter one of your recovery codes' },
} as const;

/** Explains why no passkey can be used here. */
function PasskeyNote({ step: { passkeyOptions, otherHosts } }: { readonly step: SecondStep }) {
  if (passkeyOptions !== undefined || otherHosts.length === 0) return null;
  return (
    <p className={styles['note']}>
      Your passkeys only work at {otherHosts.join(', ')}. Open this server under that name to use them
    </p>
  );
}

/** Returns the methods that work in this page, best first. */
function listMethods({ hasTotp, passkeyOptions }: SecondStep): readonly [Method, ...Method[]] {
  const canUsePasskey = passkeyOptions !== undefined && findPasskeyProblem() === undefined;
  const methods: readonly Method[] = [
    ...(canUsePasskey ? (['passkey'] as const) : []),
    ...(hasTotp ? (['totp'] as const) : []),
  ];
  const [first, ...others] = methods;
  return first === undefined ? ['recovery'] : [first, ...others, 'recovery'];
}

const METHOD_LABELS: Readonly<Record<Method, string>> = {
  passkey: 'Use a passkey',
  totp: 'Use the authenticator app',
  recovery: 'Use a recovery code',
};

/** The second step of a login, after the password: a passkey, a code of the authenticator app, or a recovery code. */
export function SecondStepForm({ step, days, className, onLogin, onCancel }: SecondStepFormProps) {
  const methods = listMethods(step);
  const [method, setMethod] = useState<Method>(methods[0]);
  const [code, setCode] = useState('');
  const [isRemembered, setIsRemembered] = useState(false);
  const { ticket, passkeyOptions } = step;
  const finish = useMutation({
    mutationFn: async () => {
      const request = { ticket, days, remember: isRemembered };
      if (method === 'passkey') {
        if (passkeyOptions === undefined) throw new Error('there is no passkey');
        return secondStepClient.finish({ ...request, passkey: await provePasskey(passkeyOptions) });
      }
      if (code.trim() === '') throw new Refusal('second_factor.code_empty', FIELDS[method].emptyMessage);
      return secondStepClient.finish({ ...request, oneTimeCode: code });
    },
    onSuccess: ({ token, username }) => onLogin({ token, username }),
  });
  function select(next: Method): void {
    setMethod(next);
    setCode('');
    finish.reset();
  }
  return (
    <Form
      className={`${className} surface hung`}
      aria-label="Second step"
      noValidate
      data-bad={finish.isError || undefined}
      isBusy={finish.isPending}
      onSubmit={() => finish.mutate()}
    >
      <h1 className={styles['heading']}>Confirm it&apos;s you</h1>
      <p className={styles['note']}>{INSTRUCTIONS[method]}</p>
      {method === 'passkey' ? null : (
        <TextInput
          key={method}
          label={FIELDS[method].label}
          name="code"
          autoComplete={method === 'totp' ? 'one-time-code' : 'off'}
          inputMode={method === 'totp' ? 'numeric' : 'text'}
          autoCapitalize="off"
          spellCheck={false}
          maxLength={40}
          value={code}
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- the user submitted the password for it
          autoFocus
          onChange={(event) => setCode(event.currentTarget.value)}
        />
      )}
      <PasskeyNote step={step} />
      <Checkbox
        label="Don't ask again in this browser for 30 days"
        checked={isRemembered}
        onChange={(event) => setIsRemembered(event.currentTarget.checked)}
      />
      <Button
        type="submit"
        variant="primary"
        size="lg"
        fullWidth
        loading={finish.isPending}
        leftSection={method === 'passkey' ? <IconFingerprint size={18} stroke={1.75} /> : undefined}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the user submitted the password for it
        autoFocus={method === 'passkey'}
      >
        {method === 'passkey' ? 'Use passkey' : 'Continue'}
      </Button>
      {finish.isError ? (
        <p className={styles['error']} role="alert">
          <IconAlertCircle size={15} stroke={1.75} />
          <span>{finish.error.message}</span>
        </p>
      ) : null}
      <div className={styles['others']}>
        {methods
          .filter((other) => other !== method)
          .map((other) => (
            <Button key={other} size="compact-md" onClick={() => select(other)}>
              {METHOD_LABELS[other]}
            </Button>
          ))}
        <Button size="compact-md" onClick={onCancel}>
          Back
        </Button>
      </div>
    </Form>
  );
}
