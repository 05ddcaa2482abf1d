import { PageHeader } from '#platform/web/ui/PageHeader.tsx';

export default function SpMessagePage() {
  return <PageHeader title="Message" />;
}
