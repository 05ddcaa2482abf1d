import { Suspense } from 'react';
import { useLocation } from 'react-router';
import { lazyPart } from '#platform/web/app/lazyPart.ts';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';

const Components = lazyPart(async () => (await import('./Components.tsx')).Components);

/** A plain test page; `#components` shows the shared components. */
export default function TestPage() {
  const { hash } = useLocation();
  return (
    <>
      <PageHeader />
      {hash === '#components' ? (
        <Suspense>
          <Components />
        </Suspense>
      ) : (
        <p>This is a test page</p>
      )}
    </>
  );
}
