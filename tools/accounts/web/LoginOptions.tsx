// Parts of the login page that most logins don't need: they are loaded when they are.
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import type { AnswerOf } from '#platform/contract/call.ts';
import type { serverinfo } from '#platform/contract/session.ts';
import { accountClient } from '#platform/web/app/accountClient.ts';
import { lazyPart } from '#platform/web/app/lazyPart.ts';
import type { SecondStep } from '#platform/web/app/secondStepClient.ts';
import type { Session } from '#platform/web/app/session.ts';
import { findPasskeyProblem } from '#platform/web/browser/passkeyProblem.ts';
import type { PasskeyLoginProps } from './PasskeyLogin.tsx';
import type { SignOnButtonProps, SignOnCardProps } from './SignOn.tsx';
import styles from './Auth.module.css';

const SecondStepForm = lazyPart(async () => (await import('#platform/web/page/SecondStepForm.tsx')).SecondStepForm);

/** A second step, and the page to open after it. */
export type LoginStep = SecondStep & { readonly path: string };

interface SecondStepCardProps {
  readonly step: LoginStep | undefined;
  readonly days: 1 | 30;
  readonly onLogin: (login: Session, path: string) => void;
  readonly onCancel: () => void;
}

/** The second step, in place of the login form. */
export function SecondStepCard({ step, days, onLogin, onCancel }: SecondStepCardProps) {
  if (step === undefined) return null;
  return (
    <Suspense>
      <SecondStepForm
        step={step}
        days={days}
        className={styles['card'] ?? ''}
        onLogin={(login) => onLogin(login, step.path)}
        onCancel={onCancel}
      />
    </Suspense>
  );
}

const PasskeyLogin = lazyPart(async () => (await import('./PasskeyLogin.tsx')).PasskeyLogin);

/** Offers the login with a passkey where passkeys can work. */
export function PasskeyOption(props: PasskeyLoginProps) {
  if (findPasskeyProblem() !== undefined) return null;
  const placeholder = (
    <Button size="lg" fullWidth disabled>
      Log in with a passkey
    </Button>
  );
  return (
    <Suspense fallback={placeholder}>
      <PasskeyLogin {...props} />
    </Suspense>
  );
}

/**
 * Returns the query with which an OpenID provider opened this page, and removes it from the address and the history.
 */
export function takeSignOnResponse(): string | undefined {
  const { search } = location;
  const query = new URLSearchParams(search);
  if (!query.has('state') || !(query.has('code') || query.has('error'))) return undefined;
  history.replaceState(history.state, '', location.pathname);
  return search;
}

const SignOnCard = lazyPart(async () => (await import('./SignOn.tsx')).SignOnCard);
const SignOnButton = lazyPart(async () => (await import('./SignOn.tsx')).SignOnButton);

type Provider = NonNullable<AnswerOf<typeof serverinfo>['singleSignOn']>;

interface SignOnOptionProps extends Omit<SignOnButtonProps, 'name' | 'isPrimary'> {
  readonly provider: Provider | undefined;
}

/** Offers the login at an OpenID provider, if the server has one. */
export function SignOnOption({ provider, ...props }: SignOnOptionProps) {
  if (provider === undefined) return null;
  return (
    <Suspense>
      <SignOnButton {...props} name={provider.name} isPrimary={!provider.allowsPasswords} />
    </Suspense>
  );
}

/** Loads the OpenID provider of the server, and decides whether the form has fields for a password. */
export function useSignOnProvider(isLoggedIn: boolean) {
  const { data } = useQuery({ queryKey: ['serverinfo'], queryFn: accountClient.fetchServerInfo });
  const [usesPassword, setUsesPassword] = useState(false);
  const provider = data?.singleSignOn;
  return {
    provider,
    // Where passwords are off, those that the operator has just reset still log in.
    showsPassword: usesPassword || isLoggedIn || provider?.allowsPasswords !== false,
    showPassword: () => setUsesPassword(true),
  };
}

/** Finishes a login that an OpenID provider has confirmed. */
export function FinishSignOn({
  response,
  ...props
}: Omit<SignOnCardProps, 'response'> & { readonly response: string | undefined }) {
  if (response === undefined) return null;
  return (
    <Suspense>
      <SignOnCard {...props} response={response} />
    </Suspense>
  );
}
