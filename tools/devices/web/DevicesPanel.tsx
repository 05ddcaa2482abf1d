import { Button } from '@mantine/core';
import { IconDeviceDesktop, IconPlus, IconWorld } from '@tabler/icons-react';
import { notices } from '#platform/web/notices.ts';
import { Card } from '#platform/web/ui/Card.tsx';
import { ConfirmButton } from '#platform/web/ui/ConfirmButton.tsx';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { PageLink } from '#platform/web/ui/PageLink.tsx';
import type { DeviceDetails } from '../contract.ts';
import { ComputerRow, presence, StateBadge } from './ComputerRow.tsx';
import { PairSteps } from './PairSteps.tsx';
import { QrCode } from './QrCode.tsx';
import { useAddresses } from './useAddresses.ts';
import { useDevices } from './useDevices.ts';
import styles from './DevicesPanel.module.css';

interface BrowsersProps {
  readonly browsers: readonly DeviceDetails[];
  readonly revoke: (id: number) => void;
}

function Browsers({ browsers, revoke }: BrowsersProps) {
  if (browsers.length === 0) return null;
  return (
    <Card title="Browsers, for messages only" flush>
      {browsers.map((browser) => (
        <div key={browser.id} className={styles['line']}>
          <IconWorld size={18} stroke={1.75} />
          <span className={styles['what']}>
            <span dir="auto">{browser.name}</span>
            <small className="num">{presence(browser)}</small>
          </span>
          <StateBadge state={browser.state} />
          <ConfirmButton
            size="compact-md"

            confirm="Confirm Revoke"
            aria-label={`Revoke ${browser.name}`}
            onConfirm={() => revoke(browser.id)}
          >
            Revoke
          </ConfirmButton>
        </div>
      ))}
    </Card>
  );
}

function OnThePhone() {
  const { origin, isLocalOnly } = useAddresses();
  return (
    <Card title="Open it on the phone">
      {isLocalOnly ? (
        <p className={styles['quiet']}>
          This server is reached from its own computer only. Start it without HOST=127.0.0.1, and its address for the
          phone stands here.
        </p>
      ) : (
        <div className={styles['phone']}>
          <QrCode text={`${origin}/login`} size={128} />
          <div>
            <p className={styles['quiet']}>
              Point the phone's camera here, log in there, and the dashboard is keyboard and mouse in one.
            </p>
            <p className="mono">{origin.replace(/^https?:\/\//, '')}</p>
          </div>
        </div>
      )}
    </Card>
  );
}

/** Devices Settings: paired computers, browsers, pairing. */
export default function DevicesPanel() {
  const { devices, error, refetch, rename, revoke, changed } = useDevices();
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
              <span className={styles['what']}>{error.message}</span>
              <Button onClick={() => void refetch()}>Try again</Button>
            </div>
          ) : null}
          {devices !== undefined && computers.length === 0 ? (
            <div className={styles['empty']}>
              <EmptyState
                icon={IconDeviceDesktop}
                text="No computer is paired yet. The two steps of pairing one stand beside."
              />
            </div>
          ) : null}
          {computers.map((device) => (
            <ComputerRow
              key={device.id}
              device={device}
              rename={(name) => rename.mutate({ id: device.id, name })}
              revoke={() => revoke.mutate([device.id])}
            />
          ))}
        </Card>
        <Browsers browsers={browsers} revoke={(id) => revoke.mutate([id])} />
        {computers.length === 0 ? null : (
          <Card danger flush>
            <div className={styles['line']}>
              <span className={styles['what']}>
                <b>Revoke all devices</b>
                <small>Every computer has to be paired again. Their history goes with them.</small>
              </span>
              <ConfirmButton
                confirm="Confirm Revoke all"
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
            note="Linux, with Node 24 or newer. Nothing is installed into the system."
            hint="A code lives 10 minutes; after five wrong ones the next try waits 10 minutes."
            onPaired={(name) => {
              notices.add('good', `${name} is paired`);
              void changed();
            }}
          />
        </Card>
        <div className={styles['wide']}>
          <OnThePhone />
        </div>
      </div>
    </div>
  );
}
