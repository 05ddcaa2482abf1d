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

/** A button that goes to a page of ours, passes token and username along, and loads the page ahead on hover or focus. */
export function PageButton({ to, ...rest }: PageButtonProps) {
  const { pages } = useWebSite();
  const go = useNavigateTo();
  // Loading ahead may fail like any loading; the navigation itself then says so.
  const loadAhead = (): void =>
    void findPage(pages, to)
      ?.load()
      .catch(() => undefined);
  return <Button {...rest} onClick={() => go(to)} onMouseEnter={loadAhead} onFocus={loadAhead} />;
}

type PageLinkProps = Omit<ComponentProps<typeof Link>, 'to' | 'state'> & { readonly to: string };

/** A link to a page of ours: passes token and username along, and loads the page ahead on hover or focus. */
export function PageLink({ to, onMouseEnter, onFocus, ...rest }: PageLinkProps) {
  const { pages } = useWebSite();
  useSession(); // What it carries follows the session.
  // Loading ahead may fail like any loading; the navigation itself then says so.
  const loadAhead = (): void =>
    void findPage(pages, to)
      ?.load()
      .catch(() => undefined);
  return (
    <Link
      to={to}
      state={createNavigationState()}
      onMouseEnter={(event) => {
        loadAhead();
        onMouseEnter?.(event);
      }}
      onFocus={(event) => {
        loadAhead();
        onFocus?.(event);
      }}
      {...rest}
    />
  );
}
