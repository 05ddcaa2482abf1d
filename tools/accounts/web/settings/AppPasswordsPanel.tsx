import { Button, TextInput } from '@mantine/core';
import { IconCalendar, IconMusic } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { AnswerOf } from '#platform/contract/call.ts';
import { call } from '#platform/web/app/call.ts';
import { notices } from '#platform/web/app/notices.ts';
import { showError } from '#platform/web/app/showError.ts';
import { useUsername } from '#platform/web/app/useUsername.ts';
import { formatMoment, formatDate } from '#platform/web/browser/formats.ts';
import { useExternalAddress } from '#platform/web/browser/secureContext.ts';
import { LocalAddressNote } from '#platform/web/page/LocalAddressNote.tsx';
import { ConfirmButton } from '#platform/web/ui/ConfirmButton.tsx';
import { OneTimeSecret } from '#platform/web/ui/CopyButton.tsx';
import { Form } from '#platform/web/ui/Form.tsx';
import { SegmentedControl } from '#platform/web/ui/SegmentedControl.tsx';
import {
  APP_PASSWORD_KINDS,
  type AppPasswordKind,
  apppasswords,
  makeapppassword,
  revokeapppassword,
} from '../../contract.ts';
import { FormError } from './PasswordConfirmation.tsx';
import { QueryCard } from './QueryCard.tsx';
import { EVENTS_QUERY_KEY, PASSWORDS_QUERY_KEY } from './useAccountOverview.ts';
import account from './AccountPanel.module.css';
import styles from './AppPasswordsPanel.module.css';

/** Loads, creates and revokes app passwords. */
export function useAppPasswords() {
  const queryClient = useQueryClient();
  const query = useQuery({ queryKey: PASSWORDS_QUERY_KEY, queryFn: () => call(apppasswords, {}) });
  const reload = () =>
    Promise.all([PASSWORDS_QUERY_KEY, EVENTS_QUERY_KEY].map((queryKey) => queryClient.invalidateQueries({ queryKey })));
  const creation = useMutation({
    mutationFn: (options: { readonly name: string; readonly kind: AppPasswordKind }) => call(makeapppassword, options),
    onSuccess: reload,
  });
  const revocation = useMutation({
    mutationFn: (id: number) => call(revokeapppassword, { id }),
    onError: showError,
    onSuccess: () => notices.add('good', 'App password revoked'),
    onSettled: reload,
  });
  return { query, creation, revocation };
}

type AppPassword = AnswerOf<typeof apppasswords>['passwords'][number];

const KIND_LABELS = {
  calendar: { label: 'Calendar', example: 'Phone', Icon: IconCalendar },
  music: { label: 'Music', example: 'Player', Icon: IconMusic },
} as const;

function PasswordLine({ password, onRevoke }: { readonly password: AppPassword; readonly onRevoke: () => void }) {
  const { name, kind, created, lastUsed, address } = password;
  const { label, Icon } = KIND_LABELS[kind];
  return (
    <li className={account['line']}>
      <Icon size={18} stroke={1.75} role="img" aria-label={label} />
      <span className={account['details']}>
        <bdi>{name}</bdi>
        <small className="num">
          created {formatDate(created)},{' '}
          {lastUsed === undefined ? 'not used yet' : `last used ${formatMoment(lastUsed)}, ${address}`}
        </small>
      </span>
      <ConfirmButton size="compact-md" confirmLabel="Confirm Revoke" aria-label={`Revoke ${name}`} onConfirm={onRevoke}>
        Revoke
      </ConfirmButton>
    </li>
  );
}

type AppPasswordCreation = ReturnType<typeof useAppPasswords>['creation'];

/** The new app password, shown once, with the settings of a music player. */
function NewAppPassword({ appPassword }: { readonly appPassword: NonNullable<AppPasswordCreation['data']> }) {
  const siteAddress = useExternalAddress();
  const { username } = useUsername();
  return (
    <div className={styles['created']}>
      <OneTimeSecret text={appPassword.password} copyLabel="Copy app password">
        {`App password for “${appPassword.name}”. It is shown only once, so copy it now`}
      </OneTimeSecret>
      {appPassword.kind === 'music' ? (
        <>
          <p className={styles['instructions']}>
            In a player for OpenSubsonic or Subsonic: server <code>{siteAddress}</code>
            {username === undefined ? null : (
              <>
                , username{' '}
                <code>
                  <bdi>{username}</bdi>
                </code>
              </>
            )}
            , and this password. If a player asks for an API key, enter only this password
          </p>
          <LocalAddressNote className={styles['instructions']} />
        </>
      ) : null}
    </div>
  );
}

function CreateForm({ creation }: { readonly creation: AppPasswordCreation }) {
  const [name, setName] = useState('');
  const [kind, setKind] = useState<AppPasswordKind>('calendar');
  return (
    <Form
      className={styles['createForm']}
      isBusy={creation.isPending}
      onSubmit={() => creation.mutate({ name, kind }, { onSuccess: () => setName('') })}
    >
      <TextInput
        className={styles['name'] ?? ''}
        label="Name"
        placeholder={KIND_LABELS[kind].example}
        autoComplete="off"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <SegmentedControl
        label="For"
        options={APP_PASSWORD_KINDS.map((value) => ({ value, label: KIND_LABELS[value].label }))}
        value={kind}
        isSingleLine
        onSelect={setKind}
      />
      <Button type="submit" loading={creation.isPending}>
        Create app password
      </Button>
      <FormError error={creation.error} />
    </Form>
  );
}

/** App passwords for programs that ask for a username and a password, such as calendars and music players. */
export default function AppPasswordsPanel() {
  const { query, creation, revocation } = useAppPasswords();
  return (
    <QueryCard title="App passwords" query={query}>
      <p className={styles['text']}>
        Use app passwords for apps that ask for a username and password, such as a phone calendar or a music player.
        Each one works only for its purpose. All are revoked when you change your account password
      </p>
      <ul className={styles['list']}>
        {query.data?.passwords.map((password) => (
          <PasswordLine key={password.id} password={password} onRevoke={() => revocation.mutate(password.id)} />
        ))}
      </ul>
      {creation.data === undefined ? null : <NewAppPassword appPassword={creation.data} />}
      <CreateForm creation={creation} />
    </QueryCard>
  );
}
