import { Button, TextInput } from '@mantine/core';
import { IconDownload, IconFingerprint, IconPencil } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { describeBrowser } from '#platform/contract/browserName.ts';
import type { AnswerOf } from '#platform/contract/call.ts';
import { call } from '#platform/web/app/call.ts';
import { notices } from '#platform/web/app/notices.ts';
import { showError } from '#platform/web/app/showError.ts';
import { downloadFile } from '#platform/web/browser/downloadFile.ts';
import { formatMoment, formatDate } from '#platform/web/browser/formats.ts';
import { findPasskeyProblem, type PasskeyProblem } from '#platform/web/browser/passkeyProblem.ts';
import { createPasskey } from '#platform/web/browser/passkeys.ts';
import { HttpsHint } from '#platform/web/page/HttpsHint.tsx';
import { CopyButton } from '#platform/web/ui/CopyButton.tsx';
import { Form } from '#platform/web/ui/Form.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { NameForm } from '#platform/web/ui/NameForm.tsx';
import { QrCode } from '#platform/web/ui/QrCode.tsx';
import {
  addpasskey,
  addtotp,
  makerecoverycodes,
  removepasskey,
  removetotp,
  renamepasskey,
  secondfactor,
  startpasskey,
  starttotp,
} from '../../contract.ts';
import { FormError, PasswordAction } from './PasswordConfirmation.tsx';
import { QueryCard } from './QueryCard.tsx';
import { EVENTS_QUERY_KEY, SECOND_FACTOR_QUERY_KEY } from './useAccountOverview.ts';
import account from './AccountPanel.module.css';
import styles from './SecondFactorPanel.module.css';

type SecondFactor = AnswerOf<typeof secondfactor>;
type Passkey = SecondFactor['passkeys'][number];

/** Loads the second factors. `reload` also reloads the security events. */
function useSecondFactor() {
  const queryClient = useQueryClient();
  const query = useQuery({ queryKey: SECOND_FACTOR_QUERY_KEY, queryFn: () => call(secondfactor, {}) });
  const reload = () =>
    Promise.all(
      [SECOND_FACTOR_QUERY_KEY, EVENTS_QUERY_KEY].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
    );
  return { query, reload };
}

interface RecoveryCodesProps {
  readonly codes: readonly string[];
  readonly onDone: () => void;
}

/** New recovery codes, which are shown once. */
function RecoveryCodes({ codes, onDone }: RecoveryCodesProps) {
  const text = codes.join('\n');
  return (
    <div className={styles['codes']} role="status">
      <p>
        Store these recovery codes where you find them without your phone. Each one replaces your second factor once.
        They are shown only now
      </p>
      <ol aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ol>
      <div className={account['actions']}>
        <CopyButton text={text} label="Copy recovery codes" />
        <Button
          leftSection={<IconDownload size={15} stroke={1.75} />}
          onClick={() =>
            downloadFile('pegboard-recovery-codes.txt', new Blob([`${text}\n`], { type: 'text/plain;charset=utf-8' }))
          }
        >
          Download
        </Button>
        <Button onClick={onDone}>I have stored them</Button>
      </div>
    </div>
  );
}

interface TotpSetupProps {
  readonly setup: AnswerOf<typeof starttotp>;
  readonly onAdded: (recoveryCodes: readonly string[] | undefined) => Promise<unknown>;
  readonly onCancel: () => void;
}

/** Splits a secret into groups of four, to type it. */
const formatSecret = (secret: string): string => secret.replaceAll(/(.{4})(?=.)/g, '$1 ');

/** Shows the secret as a QR code, and asks for the first code of the app. */
function TotpSetup({ setup: { ticket, secret, uri }, onAdded, onCancel }: TotpSetupProps) {
  const [code, setCode] = useState('');
  const add = useMutation({
    mutationFn: () => call(addtotp, { ticket, oneTimeCode: code }),
    onSuccess: ({ recoveryCodes }) => onAdded(recoveryCodes),
  });
  return (
    <Form
      className={styles['setup']}
      aria-label="Set up an authenticator app"
      isBusy={add.isPending}
      onSubmit={() => add.mutate()}
    >
      <p>Scan this code with an authenticator app on your phone, then enter the six digits that it shows</p>
      <div className={styles['secret']}>
        <QrCode text={uri} size={168} label="QR code for the authenticator app" />
        <div>
          <small>Or enter this key in the app</small>
          <code>{formatSecret(secret)}</code>
          <CopyButton text={secret} label="Copy key" />
        </div>
      </div>
      <div className={styles['confirm']}>
        <TextInput
          className={account['field'] ?? ''}
          label="Code of the app"
          autoComplete="one-time-code"
          inputMode="numeric"
          maxLength={10}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        <span className={account['actions']}>
          <Button type="submit" variant="primary" loading={add.isPending}>
            Turn on
          </Button>
          <Button onClick={onCancel}>Cancel</Button>
        </span>
        <FormError error={add.error} />
      </div>
    </Form>
  );
}

type OnChanged = (message: string, recoveryCodes?: readonly string[]) => Promise<unknown>;

/** The authenticator app: set it up or remove it. */
function AuthenticatorApp({ since, onChanged }: { readonly since: string | undefined; readonly onChanged: OnChanged }) {
  const [setup, setSetup] = useState<AnswerOf<typeof starttotp>>();
  if (since !== undefined)
    return (
      <PasswordAction
        title="Authenticator app"
        text={`Set up on ${formatDate(since)}`}
        openLabel="Remove"
        openName="Remove authenticator app"
        confirmLabel="Confirm Remove"
        danger
        onConfirm={async (password) => {
          await call(removetotp, { password });
          await onChanged('Authenticator app removed');
        }}
      />
    );
  if (setup !== undefined)
    return (
      <TotpSetup
        setup={setup}
        onCancel={() => setSetup(undefined)}
        onAdded={(recoveryCodes) => {
          setSetup(undefined);
          return onChanged('Authenticator app added', recoveryCodes);
        }}
      />
    );
  return (
    <PasswordAction
      title="Authenticator app"
      text="An app on your phone shows a new code every 30 seconds"
      openLabel="Set up"
      openName="Set up authenticator app"
      confirmLabel="Continue"
      onConfirm={async (password) => setSetup(await call(starttotp, { password }))}
    />
  );
}

/** Says why passkeys can't work in this page, and what to do. */
function PasskeyProblemText({ problem }: { readonly problem: PasskeyProblem }) {
  if (problem === 'address')
    return (
      <>
        Browsers allow no passkeys at an IP address such as {window.location.hostname}. Open this server by its name,
        over https
      </>
    );
  if (problem === 'insecure') return <HttpsHint>Browsers allow passkeys over https only</HttpsHint>;
  return 'This browser has no passkeys. Use a newer one';
}

/** Explains passkeys, and adds one. */
function AddPasskey({ onChanged }: { readonly onChanged: OnChanged }) {
  const problem = findPasskeyProblem();
  if (problem !== undefined)
    return (
      <div className={account['line']}>
        <span className={account['details']}>
          <b>Passkeys</b>
          <small>
            <PasskeyProblemText problem={problem} />
          </small>
        </span>
      </div>
    );
  return (
    <PasswordAction
      title="Passkeys"
      text="Log in with the lock of a phone or computer, or with a security key. No password needed"
      openLabel="Add passkey"
      confirmLabel="Continue"
      onConfirm={async (password) => {
        const { ticket, options } = await call(startpasskey, { password });
        const passkey = await createPasskey(options);
        const name = describeBrowser(navigator.userAgent);
        const { recoveryCodes } = await call(addpasskey, { ticket, name, passkey });
        await onChanged('Passkey added', recoveryCodes);
      }}
    />
  );
}

function describePasskey({ host, created, lastUsed }: Passkey): string {
  const use = lastUsed === undefined ? 'not used yet' : `last used ${formatMoment(lastUsed)}`;
  const place = host === window.location.hostname ? '' : `only at ${host}, `;
  return `${place}added ${formatDate(created)}, ${use}`;
}

function PasskeyLine({ passkey, onChanged }: { readonly passkey: Passkey; readonly onChanged: OnChanged }) {
  const { id, name } = passkey;
  const [isRenaming, setIsRenaming] = useState(false);
  const rename = useMutation({
    mutationFn: (newName: string) => call(renamepasskey, { id, name: newName }),
    onError: showError,
    onSuccess: () => onChanged('Passkey renamed'),
  });
  if (isRenaming)
    return (
      <div className={account['line']}>
        <NameForm name={name} maxLength={60} onRename={rename.mutate} onClose={() => setIsRenaming(false)} />
      </div>
    );
  return (
    <PasswordAction
      title={
        <span className={styles['name']}>
          <IconFingerprint size={16} stroke={1.75} />
          <bdi>{name}</bdi>
        </span>
      }
      text={<span className="num">{describePasskey(passkey)}</span>}
      beside={
        <IconButton label={`Rename ${name}`} onClick={() => setIsRenaming(true)}>
          <IconPencil size={18} stroke={1.75} />
        </IconButton>
      }
      openLabel="Remove"
      openName={`Remove ${name}`}
      confirmLabel="Confirm Remove"
      danger
      onConfirm={async (password) => {
        await call(removepasskey, { id, password });
        await onChanged('Passkey removed');
      }}
    />
  );
}

function RecoveryCodesLine({ count, onChanged }: { readonly count: number; readonly onChanged: OnChanged }) {
  return (
    <PasswordAction
      title="Recovery codes"
      text={`${count} of 10 left. New codes end the old ones`}
      openLabel="New codes"
      confirmLabel="Show new codes"
      onConfirm={async (password) => {
        const { recoveryCodes } = await call(makerecoverycodes, { password });
        await onChanged('Your earlier recovery codes no longer work', recoveryCodes);
      }}
    />
  );
}

/** Second factor of the account: authenticator app, passkeys and recovery codes. */
export default function SecondFactorPanel() {
  const { query, reload } = useSecondFactor();
  const [newCodes, setNewCodes] = useState<readonly string[]>();
  const onChanged: OnChanged = (message, recoveryCodes) => {
    notices.add('good', message);
    if (recoveryCodes !== undefined) setNewCodes(recoveryCodes);
    return reload();
  };
  const { data } = query;
  const isOn = data !== undefined && (data.totpSince !== undefined || data.passkeys.length > 0);
  return (
    <QueryCard title="Second factor" query={query}>
      {data === undefined ? null : (
        <>
          <p className={styles['text']}>
            {isOn
              ? 'On. A new browser needs it after your password. Apps that only know a password need an app password'
              : 'Off. Your password alone is enough to log in. An app or a passkey protects you if it is stolen'}
          </p>
          {newCodes === undefined ? null : <RecoveryCodes codes={newCodes} onDone={() => setNewCodes(undefined)} />}
          <div className={styles['lines']}>
            <AuthenticatorApp since={data.totpSince} onChanged={onChanged} />
            <AddPasskey onChanged={onChanged} />
            {data.passkeys.map((passkey) => (
              <PasskeyLine key={passkey.id} passkey={passkey} onChanged={onChanged} />
            ))}
            {isOn ? <RecoveryCodesLine count={data.recoveryCodes} onChanged={onChanged} /> : null}
          </div>
        </>
      )}
    </QueryCard>
  );
}
