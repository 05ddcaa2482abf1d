import { Card } from '#platform/web/ui/Card.tsx';
import { ComputersCard } from './ComputersCard.tsx';
import { ExportForm } from './ExportForm.tsx';
import { ImportForm } from './ImportForm.tsx';
import styles from './UsagePanel.module.css';

/** Export, import, and the computers that screen time is of. */
export default function UsagePanel() {
  return (
    <div className={styles['panel']}>
      <Card title="Export screen time">
        <ExportForm />
      </Card>
      <Card title="Import from ActivityWatch">
        <ImportForm />
      </Card>
      <div className={styles['whole']}>
        <ComputersCard />
      </div>
    </div>
  );
}
