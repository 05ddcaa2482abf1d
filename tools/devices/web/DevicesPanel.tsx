import { IconDeviceDesktop, IconPlus, IconDeviceMobile, IconWorld } from '@tabler/icons-react';
import { useState } from 'react';
import { notices } from '#platform/web/app/notices.ts';
import { formatMoment } from '#platform/web/browser/formats.ts';
import { PageLink } from '#platform/web/page/PageLink.tsx';
import { Card } from '#platform/web/ui/Card.tsx';
import { ConfirmButton } from '#platform/web/ui/ConfirmButton.tsx';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { NameForm } from '#platform/web/ui/NameForm.tsx';
import { QrCode } from '#platform/web/ui/QrCode.tsx';
import { QueryError } from '#platform/web/ui/QueryState.tsx';
import type { DeviceDetails } from '../contract.ts';
import { ComputerRow, StateBadge, RowActions } from './ComputerRow.tsx';
import { PairSteps } from './PairSteps.tsx';
import { useAddresses, useDevices } from './useDevices.ts';
import styles from './DevicesPanel.module.css';

interface BrowserRowProps {
  readonly device: DeviceDetails;
  readonly onRename: (name: string) => void;
  readonly onRemove: () => void;
}

const formatLastSeen = ({ state, lastSeen, paired }: DeviceDetails): string =>
  state === 'Connected' ? 'messages open now' : `last seen ${formatMoment(lastSeen ?? paired)}`;

/** A browser in which the messages screen was opened. */
function BrowserRow({ device, onRename, onRemove }: BrowserRowProps) {
  const [isRenaming, setIsRenaming] = useState(false);
  const { name, state } = device;
  const Icon = /Android|iOS|phone/i.test(name) ? IconDeviceMobile : IconWorld;
  return (
    <article className={styles['line']} aria-label={name}>
      <Icon size={18} stroke={1.75} />
      <span className={styles['details']}>
        {isRenaming ? (
          <NameForm name={name} onRename={onRename} onClose={() => setIsRenaming(false)} />
        ) : (
          <span dir="auto">{name}</span>
        )}
        <small className="num">{formatLastSeen(device)}</small>
      </span>
      <StateBadge state={state} />
      <RowActions name={name} onRename={() => setIsRenaming(true)} removeLabel="Remove" onRemove={onRemove} />
    </article>
  );
}

interface BrowsersProps {
  readonly browsers: readonly DeviceDetails[];
  readonly onRename: (id: number, name: string) => void;
  readonly onRemove: (id: number) => void;
}

function Browsers({ browsers, onRename, onRemove }: BrowsersProps) {
  if (browsers.length === 0) return null;
  return (
    <Card title="Browsers, for messages only" aside={<span className="num">{browsers.length}</span>} flush>
      {browsers.map((browser) => (
        <BrowserRow
          key={browser.id}
          device={browser}
          onRename={(name) => onRename(browser.id, name)}
          onRemove={() => onRemove(browser.id)}
        />
      ))}
      <p className={styles['note']}>
        Browsers in which you opened messages. Removing a browser deletes its messages. Unused browsers are removed
        after 90 days
      </p>
    </Card>
  );
}

function PhoneCard() {
  const { siteAddress, isLocalOnly } = useAddresses();
  return (
    <Card title="Open Pegboard on your phone">
      {isLocalOnly ? (
        <p className={styles['quiet']}>
          This server can be reached only from its own computer. Let it listen on all addresses (HOST=::) to use it from
          your phone
        </p>
      ) : (
        <div className={styles['phone']}>
          <QrCode text={`${siteAddress}/login`} size={128} />
          <div>
            <p className={styles['quiet']}>Scan this code with your phone and log in to use it as keyboard and mouse</p>
            <p className="mono">{siteAddress.replace(/^https?:\/\//, '')}</p>
          </div>
        </div>
      )}
    </Card>
  );
}

/** Devices Settings: paired computers, browsers and pairing. */
export default function DevicesPanel() {
  const { devices, error, refetch, rename, revoke, reload } = useDevices();
  const computers = devices?.filter(({ kind }) => kind === 'computer') ?? [];
  const browsers = devices?.filter(({ kind }) => kind === 'browser') ?? [];
  return (
    <div className={styles['panel']}>
      <div className={styles['column']}>
        <Card
          title="Paired computers"
          aside={
            <>
              <span className="num">{devices === undefined ? '' : computers.length}</span>
              <PageLink to="/dashboard/settings/pair" className={styles['pairing']}>
                <IconPlus size={15} stroke={1.75} />
                Pair a computer
              </PageLink>
            </>
          }
          flush
        >
          {error !== null && devices === undefined ? (
            <div className={styles['line']}>
              <QueryError message={error.message} onRetry={refetch} />
            </div>
          ) : null}
          {devices !== undefined && computers.length === 0 ? (
            <div className={styles['empty']}>
              <EmptyState
                icon={IconDeviceDesktop}
                text="Your computers appear here. Follow the two steps under Pair a computer"
              />
            </div>
          ) : null}
          {computers.map((device) => (
            <ComputerRow
              key={device.id}
              device={device}
              onRename={(name) => rename.mutate({ id: device.id, name })}
              onRevoke={() => revoke.mutate([device.id])}
            />
          ))}
          {computers.length === 0 ? null : (
            <p className={styles['note']}>
              Something doesn't work? Run the agent on that computer with <code>try</code>: a page opens there, checks
              each part, and shows a report that you can copy
            </p>
          )}
        </Card>
        <Browsers
          browsers={browsers}
          onRename={(id, name) => rename.mutate({ id, name })}
          onRemove={(id) => revoke.mutate([id])}
        />
        {computers.length === 0 ? null : (
          <Card danger flush>
            <div className={styles['line']}>
              <span className={styles['details']}>
                <b>Revoke all devices</b>
                <small>
                  You have to pair every computer again, and messages sent to them are deleted. Their screen time is not
                  deleted. You can delete it under Screen time by computer
                </small>
              </span>
              <ConfirmButton
                confirmLabel="Confirm Revoke all"
                onConfirm={() => revoke.mutate((devices ?? []).map(({ id }) => id))}
              >
                Revoke all
              </ConfirmButton>
            </div>
          </Card>
        )}
      </div>
      <div className={styles['column']}>
        <Card title="Pair a computer">
          <PairSteps
            hint="A code is valid for 10 minutes. After five wrong codes you have to wait 10 minutes"
            onPaired={({ name }) => {
              notices.add('good', `Paired ${name}`);
              void reload();
            }}
          />
        </Card>
        <div className={styles['wide']}>
          <PhoneCard />
        </div>
      </div>
    </div>
  );
}
