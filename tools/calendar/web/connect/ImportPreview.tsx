import { Button } from '@mantine/core';
import type { Preview } from './Import.tsx';
import { countWords } from './importWords.ts';
import styles from './Import.module.css';

function Events({ events, total }: { readonly events: Preview['events']; readonly total: number }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls is reached by the keyboard too
    <div className={styles['scroll']} role="region" aria-label="Events of the file" tabIndex={0}>
      <table className={styles['table']}>
        <thead>
          <tr>
            <th scope="col">Date</th>
            <th scope="col">Event</th>
            <th scope="col">When</th>
          </tr>
        </thead>
        <tbody>
          {events.map(({ name, date, when, changed }, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- a list that never changes, of rows that may be alike
            <tr key={index}>
              <td className="num">{date}</td>
              <td dir="auto">
                {name}
                {changed && <small className={styles['changed']}>changed</small>}
              </td>
              <td>{when}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {total > events.length && (
        <p className={styles['more']}>and {(total - events.length).toLocaleString('en')} more</p>
      )}
    </div>
  );
}

/** What cannot be taken as it was written, by event. */
export function Problems({ problems }: { readonly problems: Preview['problems'] }) {
  return (
    <details className={styles['problems']} open={problems.length <= 3}>
      <summary>{problems.length === 1 ? '1 warning' : `${problems.length} warnings`}</summary>
      <ul>
        {problems.map(({ name, why }, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- a list that never changes, of rows that may be alike
          <li key={index}>
            <b dir="auto">{name}</b> {why}
          </li>
        ))}
      </ul>
    </details>
  );
}

interface ImportPreviewProps {
  readonly file: string;
  readonly preview: Preview;
  readonly isBusy: boolean;
  readonly onImport: () => void;
  readonly onLeave: () => void;
}

/** What a file holds, before anything of it is kept. */
export function ImportPreview({ file, preview, isBusy, onImport, onLeave }: ImportPreviewProps) {
  const { name, added, changed, events, problems } = preview;
  const total = added + changed;
  return (
    <div className={styles['preview']}>
      <p role="status">
        <b dir="auto">{name ?? file}</b>
        <span>{countWords(preview)}</span>
      </p>
      {events.length > 0 && <Events events={events} total={total} />}
      {problems.length > 0 && <Problems problems={problems} />}
      <div className={styles['buttons']}>
        <Button variant="primary" disabled={total === 0} loading={isBusy} onClick={onImport}>
          Import
        </Button>
        <Button disabled={isBusy} onClick={onLeave}>
          {total === 0 ? 'Choose another file' : 'Cancel'}
        </Button>
      </div>
    </div>
  );
}
