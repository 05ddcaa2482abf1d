import { Button, type ButtonProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { findPage, useNavigateTo } from '../app/navigation.ts';
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
