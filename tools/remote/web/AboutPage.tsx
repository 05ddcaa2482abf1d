import { PageHeader } from '#platform/web/page/PageHeader.tsx';

export default function AboutPage() {
  return <PageHeader title="about" />;
}
