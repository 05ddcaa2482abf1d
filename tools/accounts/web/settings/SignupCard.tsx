import { Button, TextInput } from '@mantine/core';
import { IconMail } from '@tabler/icons-react';
import { useState } from 'react';
import type { SignupRule } from '#platform/contract/session.ts';
import { formatDate } from '#platform/web/browser/formats.ts';
import { useExternalAddress } from '#platform/web/browser/secureContext.ts';
import { LocalAddressNote } from '#platform/web/page/LocalAddressNote.tsx';
import { ConfirmButton } from '#platform/web/ui/ConfirmButton.tsx';
import { OneTimeSecret } from '#platform/web/ui/CopyButton.tsx';
import { Form } from '#platform/web/ui/Form.tsx';
import { SegmentedControl } from '#platform/web/ui/SegmentedControl.tsx';
import { signupPage } from '../../page.ts';
import { FormError } from './PasswordConfirmation.tsx';
import { QueryCard } from './QueryCard.tsx';
import { useInvitations, useSignupRule, type InvitationInfo } from './useAccess.ts';
import account from './AccountPanel.module.css';
import styles from './AppPasswordsPanel.module.css';

const RULE_OPTIONS: readonly { readonly value: SignupRule; readonly label: string }[] = [
  { value: 'open', label: 'Open' },
  { value: 'invitation', label: 'By invitation' },
  { value: 'closed', label: 'Closed' },
];

const RULE_TEXTS: Readonly<Record<SignupRule, string>> = {
  open: 'Anyone who can open this server can create an account',
  invitation: 'Only people with an invitation link can create an account',
  closed: 'Nobody can create an account. Invitation links do not work either',
};

/** For one person, or for a household or a group. */
const USE_OPTIONS = [
  { value: '1', label: 'One person' },
  { value: '10', label: 'Up to 10' },
] as const;
const DAY_OPTIONS = [
  { value: '1', label: '1 day' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
] as const;

function InvitationLine({
  invitation,
  onRevoke,
}: {
  readonly invitation: InvitationInfo;
  readonly onRevoke: () => void;
}) {
  const { name, expires, uses, maxUses } = invitation;
  const label = name === '' ? 'Invitation' : name;
  return (
    <li className={account['line']}>
      <IconMail size={18} stroke={1.75} />
      <span className={account['details']}>
        <bdi>{label}</bdi>
        <small className="num">
          used {uses} of {maxUses}, until {formatDate(expires)}
        </small>
      </span>
      <ConfirmButton
        size="compact-md"
        confirmLabel="Confirm Revoke"
        aria-label={`Revoke ${label}`}
        onConfirm={onRevoke}
      >
        Revoke
      </ConfirmButton>
    </li>
  );
}

type InvitationCreation = ReturnType<typeof useInvitations>['creation'];

function InvitationForm({ creation }: { readonly creation: InvitationCreation }) {
  const [name, setName] = useState('');
  const [maxUses, setMaxUses] = useState<(typeof USE_OPTIONS)[number]['value']>('1');
  const [days, setDays] = useState<(typeof DAY_OPTIONS)[number]['value']>('7');
  return (
    <Form
      className={styles['createForm']}
      isBusy={creation.isPending}
      onSubmit={() =>
        creation.mutate({ name, days: Number(days), maxUses: Number(maxUses) }, { onSuccess: () => setName('') })
      }
    >
      <TextInput
        className={styles['name'] ?? ''}
        label="For whom"
        placeholder="Grandma"
        autoComplete="off"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <SegmentedControl label="For how many" options={USE_OPTIONS} value={maxUses} isSingleLine onSelect={setMaxUses} />
      <SegmentedControl label="Valid for" options={DAY_OPTIONS} value={days} isSingleLine onSelect={setDays} />
      <Button type="submit" loading={creation.isPending}>
        Create invitation
      </Button>
      <FormError error={creation.error} />
    </Form>
  );
}

/** Invitation links, and the form that creates one. */
function InvitationList() {
  const { query, creation, revocation } = useInvitations();
  const siteAddress = useExternalAddress();
  return (
    <>
      <ul className={styles['list']}>
        {query.data?.invitations.map((invitation) => (
          <InvitationLine
            key={invitation.id}
            invitation={invitation}
            onRevoke={() => revocation.mutate(invitation.id)}
          />
        ))}
      </ul>
      {creation.data === undefined ? null : (
        <div className={styles['created']}>
          <OneTimeSecret
            text={`${siteAddress}${signupPage.path}#invitation=${creation.data.secret}`}
            copyLabel="Copy invitation link"
          >
            The link is shown only once, so copy it now. Anyone who has it can use it
          </OneTimeSecret>
          <LocalAddressNote className={styles['instructions']} />
        </div>
      )}
      <InvitationForm creation={creation} />
    </>
  );
}

/** Who may create an account, and invitation links; for the owner. */
export function SignupCard() {
  const { query, rule, set } = useSignupRule();
  return (
    <QueryCard title="Sign-up" query={query}>
      {rule === undefined ? null : (
        <>
          <div className={account['line']}>
            <span className={account['details']}>
              <b>Who may join</b>
              <small>{RULE_TEXTS[rule]}</small>
            </span>
            <SegmentedControl label="Who may join" options={RULE_OPTIONS} value={rule} isSingleLine onSelect={set} />
          </div>
          {rule === 'invitation' ? <InvitationList /> : null}
        </>
      )}
    </QueryCard>
  );
}
