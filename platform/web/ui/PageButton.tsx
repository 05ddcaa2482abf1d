import { Button, type ButtonProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { pageAt, useGo } from '../navigation.ts';
import { useSite } from '../site.ts';

interface PageButtonProps extends ButtonProps {
  readonly to: string;
  readonly children: ReactNode;
  readonly 'aria-label'?: string;
  readonly 'aria-describedby'?: string;
}

/** A button that goes to a page of ours, passes token and username along, and loads the page ahead on hover or focus. */
export function PageButton({ to, ...rest }: PageButtonProps) {
  const { pages } = useSite();
  const go = useGo();
  // Loading ahead may fail like any loading; the navigation itself then says so.
  const loadAhead = (): void =>
    void pageAt(pages, to)
      ?.load()
      .catch(() => undefined);
  return <Button {...rest} onClick={() => go(to)} onMouseEnter={loadAhead} onFocus={loadAhead} />;
}
