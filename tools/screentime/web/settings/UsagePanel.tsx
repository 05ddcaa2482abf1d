import { Card } from '#platform/web/ui/Card.tsx';
import { ExportForm } from './ExportForm.tsx';
import { ImportForm } from './ImportForm.tsx';
import styles from './UsagePanel.module.css';

/** Screen time out of this server, and ActivityWatch's into it. */
export default function UsagePanel() {
  return (
    <div className={styles['panel']}>
      <Card title="Export screen time">
        <ExportForm />
      </Card>
      <Card title="Import from ActivityWatch">
        <ImportForm />
      </Card>
    </div>
  );
}
