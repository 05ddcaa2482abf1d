import { Outlet } from 'react-router';
import { FrameContext } from '#platform/web/frame.ts';
import { useArrival, usePageHere } from './arrival.ts';

/** Round pages that have only the mark and their own controls. */
export function BareFrame() {
  const page = usePageHere();
  useArrival(page);
  return (
    <FrameContext value={{ page, header: null }}>
      <Outlet />
    </FrameContext>
  );
}
