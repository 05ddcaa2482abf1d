import { IconAlertTriangle, IconDownload, IconLock, IconLockCheck, IconLockOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import type { OwnHttps } from '#platform/contract/session.ts';
import { accountClient } from '#platform/web/app/accountClient.ts';
import { findPage } from '#platform/web/app/navigation.ts';
import { useWebSite } from '#platform/web/app/site.ts';
import { isSecureContext, formatSecureAddress } from '#platform/web/browser/secureContext.ts';
import { toSitePath } from '#platform/web/browser/siteAddress.ts';
import { BarePage } from '#platform/web/page/BarePage.tsx';
import { PageLink } from '#platform/web/page/PageLink.tsx';
import { CopyButton } from '#platform/web/ui/CopyButton.tsx';
import { Steps } from '#platform/web/ui/Steps.tsx';
import { detectDevice, type Device, getInstructions } from './steps.tsx';
import styles from './TrustPage.module.css';

const DEVICES: readonly Device[] = ['android', 'apple', 'computer'];

/** Returns path and title of the page that needs HTTPS. */
function useTargetPage(): { readonly path: string; readonly title: string } {
  const { pages } = useWebSite();
  const [search] = useSearchParams();
  const path = search.get('for') ?? '';
  const page = findPage(pages, path);
  return page === undefined ? { path: '/dashboard', title: 'Dashboard' } : { path, title: page.title };
}

function Fingerprint({ https }: { readonly https: OwnHttps }) {
  return (
    <div className={styles['fingerprint']}>
      <code>
        {https.fingerprint.split(':').map((pair, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- pairs repeat, and never move
          <span key={index}>{pair}</span>
        ))}
      </code>
      <CopyButton text={https.fingerprint} label="Copy fingerprint" />
    </div>
  );
}

/** Returns the host to open over HTTPS: the current one if the certificate contains it, otherwise the best one. */
function chooseHost({ hosts }: OwnHttps): { readonly host: string; readonly isOther: boolean } {
  const currentHost = window.location.hostname;
  const isOther = hosts.length > 0 && !hosts.includes(currentHost);
  return { host: isOther ? (hosts[0] ?? currentHost) : currentHost, isOther };
}

function TrustSteps({ https, device }: { readonly https: OwnHttps; readonly device: Device }) {
  const instructions = getInstructions(https.name)[device];
  const { path } = useTargetPage();
  const { host, isOther } = chooseHost(https);
  const address = formatSecureAddress(host, https.port);
  return (
    <Steps roomy className={styles['steps']}>
      <li>
        <h2>Get the certificate</h2>
        <a className={styles['button']} href={toSitePath('/trust/pegboard-ca.crt')}>
          <IconDownload size={18} stroke={1.75} />
          Get the certificate
        </a>
        <p>{instructions.download}</p>
      </li>
      {instructions.steps.map(({ title, text }) => (
        <li key={title}>
          <h2>{title}</h2>
          {text}
        </li>
      ))}
      <li>
        <h2>Compare its fingerprint</h2>
        <Fingerprint https={https} />
        <p>
          The same SHA-256 fingerprint must appear in the terminal of the server, and {instructions.compare}. If it
          differs, someone is intercepting your connection. Remove the certificate
        </p>
      </li>
      <li>
        <h2>Open over https</h2>
        {isOther ? (
          <p>
            The certificate is not valid for {window.location.hostname}, but for {host}
          </p>
        ) : null}
        <a className={styles['button']} data-primary href={`${address}/trust?for=${encodeURIComponent(path)}`}>
          <IconLock size={18} stroke={1.75} />
          Open over https
        </a>
        <p className={styles['note']}>
          If the browser shows a warning, it does not trust the certificate yet. Go back and check the steps above
        </p>
      </li>
    </Steps>
  );
}

function TrustInstructions({ https }: { readonly https: OwnHttps }) {
  const [device, setDevice] = useState(() => detectDevice(navigator.userAgent, navigator.maxTouchPoints));
  const instructions = getInstructions(https.name);
  return (
    <>
      <div className={styles['tabs']} role="group" aria-label="Device">
        {DEVICES.map((option) => (
          <button key={option} type="button" aria-pressed={option === device} onClick={() => setDevice(option)}>
            {instructions[option].tab}
          </button>
        ))}
      </div>
      <section className={`${styles['card']} surface hung`} aria-label={instructions[device].tab}>
        <TrustSteps https={https} device={device} />
      </section>
      <section className={styles['facts']} aria-label="About the certificate">
        <div>
          <h2>What you trust</h2>
          <p>
            This certificate is valid only for addresses in your own network
            {https.beyond.length === 0 ? '' : ` and for ${https.beyond.join(', ')}`}. Even with a stolen key, no one
            could impersonate another site. The key never leaves the server
          </p>
        </div>
        <div>
          <h2>How to remove it</h2>
          <p>{instructions[device].remove}</p>
        </div>
      </section>
    </>
  );
}

function HttpsInstructions() {
  return (
    <section className={`${styles['card']} surface hung`} aria-label="How to turn https on">
      <p>The owner of this server starts it with this setting. Then open this page again:</p>
      <div className={styles['command']}>
        <code>HTTPS_PORT=8443 npm start</code>
        <CopyButton text="HTTPS_PORT=8443 npm start" label="Copy command" />
      </div>
      <p className={styles['note']}>
        The server then creates its own certificate authority. You don't need this behind a proxy with a public
        certificate. Open the address of the proxy instead
      </p>
    </section>
  );
}

function ContinueLink() {
  const { path, title } = useTargetPage();
  return (
    <PageLink className={styles['button']} data-primary to={path}>
      Continue to {title}
    </PageLink>
  );
}

function TrustGuide() {
  const { data, error, refetch } = useQuery({ queryKey: ['serverinfo'], queryFn: accountClient.fetchServerInfo });
  if (error && data === undefined)
    return (
      <BarePage
        className={styles['main']}
        icon={<IconAlertTriangle size={26} stroke={1.6} />}
        title="Trust this server"
        lead={error.message}
      >
        <button type="button" className={styles['button']} onClick={() => void refetch()}>
          Try again
        </button>
      </BarePage>
    );
  if (data !== undefined && data.https === undefined)
    return (
      <BarePage
        className={styles['main']}
        icon={<IconLockOff size={26} stroke={1.6} />}
        title="This server has no https yet"
        lead="Only secure pages may use motion sensors and the clipboard, and keep the screen on"
      >
        <HttpsInstructions />
      </BarePage>
    );
  return (
    <BarePage
      className={styles['main']}
      icon={<IconLock size={26} stroke={1.6} />}
      title="Trust this server"
      lead="Do this once to open Pegboard over https on this device. Then motion sensors, clipboard access and keeping the screen on work"
    >
      {data?.https ? <TrustInstructions https={data.https} /> : null}
    </BarePage>
  );
}

/** Explains how to trust the server's own HTTPS certificate, or links back if the page is already secure. */
export default function TrustPage() {
  if (window.location.protocol !== 'https:' || !isSecureContext()) return <TrustGuide />;
  return (
    <BarePage
      className={styles['main']}
      icon={<IconLockCheck size={26} stroke={1.6} />}
      title="This page is secure"
      lead="This page was loaded over https, so motion sensors, clipboard access and keeping the screen on work here"
    >
      <ContinueLink />
    </BarePage>
  );
}
