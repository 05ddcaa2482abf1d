import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Fragment, useState } from 'react';
import { call } from '#platform/web/app/call.ts';
import { useUsername } from '#platform/web/app/useUsername.ts';
import { isSecureContext, useExternalAddress } from '#platform/web/browser/secureContext.ts';
import { HttpsHint } from '#platform/web/page/HttpsHint.tsx';
import { LocalAddressNote } from '#platform/web/page/LocalAddressNote.tsx';
import { PageLink } from '#platform/web/page/PageLink.tsx';
import { CopyButton, OneTimeSecret } from '#platform/web/ui/CopyButton.tsx';
import { Form } from '#platform/web/ui/Form.tsx';
import { Steps } from '#platform/web/ui/Steps.tsx';
import { makeapppassword } from '#tools/accounts/contract.ts';
import styles from './CalDav.module.css';

const CALDAV_PATH = '/dav/';

/** Allows line breaks after the separators of an address. */
function Breakable({ text }: { readonly text: string }) {
  return text.split(/(?<=[/.:-])/).map((part, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- parts of one text, which never move
    <Fragment key={index}>
      {part}
      <wbr />
    </Fragment>
  ));
}

function CopyableValue({
  name,
  text,
  copyLabel,
}: {
  readonly name: string;
  readonly text: string;
  readonly copyLabel: string;
}) {
  return (
    <div className={styles['value']}>
      <dt>{name}</dt>
      <dd>
        <code dir="auto">
          <Breakable text={text} />
        </code>
        <CopyButton text={text} label={copyLabel} bordered={false} />
      </dd>
    </div>
  );
}

function CreateAppPassword() {
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const create = useMutation({
    mutationFn: () => call(makeapppassword, { name: name.trim() === '' ? 'Calendar' : name }),
    onSuccess: () => {
      setName('');
      return Promise.all(
        [['apppasswords'], ['securityevents']].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
      );
    },
  });
  return (
    <>
      {create.data === undefined ? null : (
        <OneTimeSecret text={create.data.password} copyLabel="Copy the app password">
          {`App password for “${create.data.name}”. It is shown only once, so copy it now`}
        </OneTimeSecret>
      )}
      <Form className={styles['createForm']} isBusy={create.isPending} onSubmit={() => create.mutate()}>
        <TextInput
          className={styles['name'] ?? ''}
          label="Phone or app"
          placeholder="Calendar"
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button type="submit" loading={create.isPending}>
          {create.data === undefined ? 'Create app password' : 'Create another'}
        </Button>
      </Form>
      {create.error === null ? null : (
        <p className={styles['error']} role="alert">
          {create.error.message}
        </p>
      )}
    </>
  );
}

const GUIDES = [
  {
    name: 'iPhone and iPad',
    steps: [
      'Open Settings, Apps, Calendar, Calendar Accounts, Add Account',
      'Choose Other, then Add CalDAV Account',
      'Enter the server address, your username and the app password, and tap Next',
    ],
  },
  {
    name: 'Android, with DAVx5',
    steps: [
      'In DAVx5 tap +, then Login with URL and user name',
      'Enter the server address as the base URL, your username and the app password',
      'Create the account, open its CalDAV tab and tick Pegboard',
    ],
  },
  {
    name: 'Thunderbird',
    steps: [
      'In the calendar choose New Calendar, On the Network',
      'Enter your username, and the server address as the location. Choose Find Calendars',
      'Enter the app password, and subscribe to Pegboard',
    ],
  },
] as const;

/** The section of the dialog for CalDAV and app passwords. */
export function CalDav() {
  const address = useExternalAddress() + CALDAV_PATH;
  const { username } = useUsername();
  return (
    <section aria-labelledby="caldav-title">
      <h3 id="caldav-title">Calendar account (CalDAV)</h3>
      <p className={styles['text']}>
        Add Pegboard as a calendar account on a phone or in an app to see and change your events there. Create an app
        password for each one. You can revoke it in the{' '}
        <PageLink to="/dashboard/settings?tab=account">settings</PageLink>
      </p>
      <dl className={styles['values']}>
        <CopyableValue name="Server address" text={address} copyLabel="Copy the server address" />
        {username === undefined ? null : (
          <CopyableValue name="Username" text={username} copyLabel="Copy the username" />
        )}
      </dl>
      <LocalAddressNote className={styles['note']} />
      {address.startsWith('https:') || isSecureContext() ? null : (
        <p className={styles['note']}>
          <HttpsHint>
            Over http, others on the network can read the app password, and some phones require https
          </HttpsHint>
        </p>
      )}
      <CreateAppPassword />
      <div className={styles['guides']}>
        {GUIDES.map(({ name, steps }) => (
          <details key={name}>
            <summary>{name}</summary>
            <Steps>
              {steps.map((step) => (
                <li key={step}>{step}</li>
              ))}
            </Steps>
          </details>
        ))}
      </div>
    </section>
  );
}
