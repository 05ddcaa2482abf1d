import { PageHeader } from '#platform/web/ui/PageHeader.tsx';

export default function AboutPage() {
  return <PageHeader title="about" />;
}
