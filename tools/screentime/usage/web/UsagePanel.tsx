import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/showError.ts';
import { downloadFile } from '#platform/web/browser/downloadFile.ts';
import { Card } from '#platform/web/ui/Card.tsx';
import { Dropdown } from '#platform/web/ui/Dropdown.tsx';
import { Form } from '#platform/web/ui/Form.tsx';
import { SegmentedControl } from '#platform/web/ui/SegmentedControl.tsx';
import { exportusage } from '../../contract.ts';
import { ALL_DEVICES } from '../../contract/limits.ts';
import { getToday, getZoneFields } from '../../web/usageClock.ts';
import { toComputerNames } from '../domain/formats.ts';
import { ComputersCard } from './ComputersCard.tsx';
import { ImportForm } from './ImportForm.tsx';
import { useComputerUsage } from './useComputerUsage.ts';
import styles from './UsagePanel.module.css';

const ALL = String(ALL_DEVICES);
/** Before anything that can be recorded. */
const FIRST_DAY = '1970-01-01';
const FORMATS = [
  { value: 'csv', label: 'CSV' },
  { value: 'json', label: 'JSON' },
] as const;

interface DayFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function DayField({ label, hint, value, onChange }: DayFieldProps) {
  const id = useId();
  return (
    <span className={styles['field']}>
      <label htmlFor={id}>{label}</label>
      <input id={id} type="date" value={value} onChange={(event) => onChange(event.currentTarget.value)} />
      <small>{hint}</small>
    </span>
  );
}

/** Exports every interval of a period as a file. */
export function ExportForm() {
  const [from, setFrom] = useState('');
  const [until, setUntil] = useState('');
  const [deviceid, setDeviceid] = useState(ALL);
  const [format, setFormat] = useState<'csv' | 'json'>('csv');
  const { computers } = useComputerUsage();
  const exportFile = useMutation({
    mutationFn: () =>
      call(exportusage, {
        ...getZoneFields(),
        from: from || FIRST_DAY,
        until: until || getToday(),
        deviceid,
        format,
      }),
    onSuccess: ({ fileName, content }) => downloadFile(fileName, content),
    onError: showError,
  });
  return (
    <Form className={styles['form']} isBusy={exportFile.isPending} onSubmit={() => exportFile.mutate()}>
      <DayField label="From" hint="Leave empty to start with the first day" value={from} onChange={setFrom} />
      <DayField label="Until" hint="Leave empty for today" value={until} onChange={setUntil} />
      <Dropdown
        label="Computer"
        options={[
          { value: ALL, label: 'All devices' },
          ...Object.entries(toComputerNames(computers)).map(([value, label]) => ({ value, label })),
        ]}
        value={deviceid}
        onSelect={setDeviceid}
      />
      <span className={styles['format']}>
        <SegmentedControl label="Format" options={FORMATS} value={format} isSingleLine onSelect={setFormat} />
        <Button type="submit" leftSection={<IconDownload size={16} stroke={1.75} />} loading={exportFile.isPending}>
          Export
        </Button>
      </span>
    </Form>
  );
}

/** Settings panel with export, import, and computers. */
export default function UsagePanel() {
  return (
    <div className={styles['panel']}>
      <Card title="Export screen time">
        <ExportForm />
      </Card>
      <Card title="Import from ActivityWatch">
        <ImportForm />
      </Card>
      <div className={styles['fullWidth']}>
        <ComputersCard />
      </div>
    </div>
  );
}
