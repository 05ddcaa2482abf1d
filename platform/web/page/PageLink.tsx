import type { ComponentProps } from 'react';
import { Link } from 'react-router';
import { findPage, createNavigationState } from '../app/navigation.ts';
import { useSession } from '../app/session.ts';
import { useWebSite } from '../app/site.ts';

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
