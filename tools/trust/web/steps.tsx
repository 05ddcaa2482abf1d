import { Fragment, type ReactNode } from 'react';
import { toSitePath } from '#platform/web/browser/siteAddress.ts';
import styles from './TrustPage.module.css';

/** Kinds of devices, which install certificates differently. */
export type Device = 'android' | 'apple' | 'computer';

/** Detects the device from a `User-Agent`. An iPad claims to be a Mac, but has touch points. */
export function detectDevice(userAgent: string, touchPoints: number): Device {
  if (/Android/.test(userAgent)) return 'android';
  if (/iPhone|iPad|iPod/.test(userAgent) || (/Macintosh/.test(userAgent) && touchPoints > 1)) return 'apple';
  return 'computer';
}

/** A path through menus. */
function Menu({ path }: { readonly path: readonly string[] }) {
  return (
    <span className={styles['menu']}>
      {path.map((entry, index) => (
        <Fragment key={entry}>
          {index === 0 ? null : <i aria-label="then"> › </i>}
          <b>{entry}</b>
        </Fragment>
      ))}
    </span>
  );
}

interface Step {
  readonly title: string;
  readonly text: ReactNode;
}

export interface DeviceInstructions {
  readonly tab: string;
  /** Steps after the download. */
  readonly steps: readonly Step[];
  readonly download: ReactNode;
  readonly compare: ReactNode;
  readonly remove: ReactNode;
}

/** Returns the instructions for each device, as of the end of 2026. Menus differ slightly between vendors. */
export function getInstructions(name: string): Readonly<Record<Device, DeviceInstructions>> {
  return {
    android: {
      tab: 'Android',
      download: (
        <>
          The file <code>pegboard-ca.crt</code> is saved in Downloads
        </>
      ),
      steps: [
        {
          title: 'Install it as a CA certificate',
          text: (
            <>
              <p>
                <Menu
                  path={[
                    'Settings',
                    'Security & privacy',
                    'More security & privacy',
                    'Encryption & credentials',
                    'Install a certificate',
                    'CA certificate',
                  ]}
                />
              </p>
              <p className={styles['note']}>
                On Samsung{' '}
                <Menu path={['Security and privacy', 'More security settings', 'Install from phone storage']} />. On any
                phone, you can search the settings for 'CA certificate'
              </p>
              <p>
                Tap <b>Install anyway</b>, unlock the phone, and choose <code>pegboard-ca.crt</code>
              </p>
              <p className={styles['note']}>
                Firefox also needs this: <Menu path={['Settings', 'About Firefox']} />, tap the logo five times, go
                back, then <Menu path={['Secret settings', 'Use third party CA certificates']} />
              </p>
            </>
          ),
        },
      ],
      compare: (
        <>
          under <Menu path={['Encryption & credentials', 'Trusted credentials', 'User', name]} />
        </>
      ),
      remove: (
        <>
          <Menu path={['Encryption & credentials', 'Trusted credentials', 'User', name]} />, then <b>Remove</b>
        </>
      ),
    },
    apple: {
      tab: 'iPhone, iPad',
      download: (
        <>
          Open this page in <b>Safari</b>, and tap <b>Allow</b>
        </>
      ),
      steps: [
        {
          title: 'Install the profile',
          text: (
            <p>
              <Menu path={['Settings', 'General', 'VPN & Device Management', name, 'Install']} />
            </p>
          ),
        },
        {
          title: 'Turn on trust',
          text: (
            <>
              <p>
                <Menu path={['Settings', 'General', 'About', 'Certificate Trust Settings']} />
              </p>
              <p>
                Turn on <b>{name}</b>, and tap <b>Continue</b>
              </p>
            </>
          ),
        },
      ],
      compare: (
        <>
          under <Menu path={['VPN & Device Management', name, 'More Details']} />
        </>
      ),
      remove: <Menu path={['Settings', 'General', 'VPN & Device Management', name, 'Remove Profile']} />,
    },
    computer: {
      tab: 'Computer',
      download: (
        <>
          The file is <code>pegboard-ca.crt</code>. It is also available{' '}
          <a href={toSitePath('/trust/pegboard-ca.pem')}>as PEM</a>. If Firefox asks, tick that it can identify websites
        </>
      ),
      steps: [
        {
          title: 'Add it to the trusted authorities',
          text: (
            <dl className={styles['systems']}>
              <dt>Firefox</dt>
              <dd>
                <Menu path={['Settings', 'Privacy & Security', 'View Certificates', 'Authorities', 'Import']} />
              </dd>
              <dt>Chrome on Linux</dt>
              <dd>
                <code>chrome://certificate-manager</code>, then{' '}
                <Menu path={['Custom', 'Installed by you', 'Trusted Certificates', 'Import']} />
              </dd>
              <dt>macOS</dt>
              <dd>
                Open the file, and in Keychain Access <Menu path={[name, 'Trust', 'Always Trust']} />
              </dd>
              <dt>Windows</dt>
              <dd>
                Open the file, then{' '}
                <Menu path={['Install Certificate', 'Current User', 'Trusted Root Certification Authorities']} />
              </dd>
              <dt>Agent, curl</dt>
              <dd>
                <code>NODE_EXTRA_CA_CERTS=pegboard-ca.pem</code> before the agent command,{' '}
                <code className={styles['nowrap']}>--cacert pegboard-ca.pem</code> for curl
              </dd>
            </dl>
          ),
        },
      ],
      compare: 'in the details of the certificate, before it is added',
      remove: (
        <>
          In the same place, choose <b>{name}</b> and delete it
        </>
      ),
    },
  };
}
