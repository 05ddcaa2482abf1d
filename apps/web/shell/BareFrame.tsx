import type { ReactNode } from 'react';
import type { Page } from '#platform/contract/page.ts';
import { FrameContext } from '#platform/web/app/frame.ts';

/** Round pages that have only the mark and their own controls. */
export function BareFrame({ page, children }: { readonly page: Page; readonly children: ReactNode }) {
  return <FrameContext value={{ page, header: null }}>{children}</FrameContext>;
}
