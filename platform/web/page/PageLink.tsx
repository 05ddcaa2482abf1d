import { Button, type ButtonProps } from '@mantine/core';
import type { ComponentProps, ReactNode } from 'react';
import { Link } from 'react-router';
import { findPage, createNavigationState, useNavigateTo } from '../app/navigation.ts';
import { useSession } from '../app/session.ts';
import { useWebSite } from '../app/site.ts';

interface PageButtonProps extends ButtonProps {
  readonly to: string;
  readonly children: ReactNode;
  readonly 'aria-label'?: string;
  readonly 'aria-describedby'?: string;
}

/** Returns a function that loads the code of a page. The navigation itself reports errors. */
function usePreload(path: string): () => void {
  const { pages } = useWebSite();
  return () =>
    void findPage(pages, path)
      ?.load()
      .catch(() => undefined);
}

/** A button that opens a page of this site, passes the session on, and preloads the page on hover or focus. */
export function PageButton({ to, ...rest }: PageButtonProps) {
  const navigateTo = useNavigateTo();
  const preload = usePreload(to);
  return <Button {...rest} onClick={() => navigateTo(to)} onMouseEnter={preload} onFocus={preload} />;
}

type PageLinkProps = Omit<ComponentProps<typeof Link>, 'to' | 'state'> & { readonly to: string };

/** A link to a page of this site that passes the session on, and preloads the page on hover or focus. */
export function PageLink({ to, onMouseEnter, onFocus, ...rest }: PageLinkProps) {
  const preload = usePreload(to);
  useSession(); // updates the state of the link with the session
  return (
    <Link
      to={to}
      state={createNavigationState()}
      onMouseEnter={(event) => {
        preload();
        onMouseEnter?.(event);
      }}
      onFocus={(event) => {
        preload();
        onFocus?.(event);
      }}
      {...rest}
    />
  );
}
