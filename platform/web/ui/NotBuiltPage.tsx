import { IconTools } from '@tabler/icons-react';
import { useFrame } from '../frame.ts';
import { EmptyState } from './EmptyState.tsx';
import { PageHeader } from './PageHeader.tsx';
import { PageLink } from './PageLink.tsx';

/** Stands at the route of a tool that is not built yet. */
export default function NotBuiltPage() {
  const { page } = useFrame();
  return (
    <>
      <PageHeader />
      <EmptyState icon={IconTools} text={`${page.title} is not built yet. Its place on the board is kept.`}>
        <PageLink to="/pagerouter">Go to pages</PageLink>
      </EmptyState>
    </>
  );
}
