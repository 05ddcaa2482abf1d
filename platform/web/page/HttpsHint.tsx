import type { ReactNode } from 'react';
import { useLocation } from 'react-router';
import { isSecureContext, useOwnHttps, useSecureAddress } from '../browser/secureContext.ts';
import { PageLink } from './PageLink.tsx';
import styles from './HttpsHint.module.css';

function HttpsOptionsList() {
  const https = useOwnHttps();
  const address = useSecureAddress();
  const { pathname, search } = useLocation();
  const trust = `/trust?for=${encodeURIComponent(pathname + search)}`;
  if (https === undefined) return null;
  if (https === null) return <PageLink to={trust}>How to turn https on</PageLink>;
  if (address === undefined) return <PageLink to={trust}>Open over https</PageLink>;
  return (
    <>
      <a href={address}>Open over https</a> <PageLink to={trust}>First time on this device</PageLink>
    </>
  );
}

interface HttpsHintProps {
  readonly children: ReactNode;
  /** Default: whether this page lacks HTTPS. */
  readonly isLinked?: boolean;
}

/**
 * Says what a page can't do over plain HTTP, in a sentence without full stop, and links to HTTPS: `<HttpsHint>Tilt
 * needs https</HttpsHint>`.
 */
export function HttpsHint({ children, isLinked = !isSecureContext() }: HttpsHintProps) {
  return (
    <span className={styles['hintText']}>
      {children}
      {isLinked ? (
        <>
          . <HttpsOptionsList />
        </>
      ) : null}
    </span>
  );
}
