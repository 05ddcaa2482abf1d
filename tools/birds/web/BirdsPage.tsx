import { Button } from '@mantine/core';
import { IconFeather, IconHome2, IconInfoCircle, IconPlus } from '@tabler/icons-react';
import { useState, type CSSProperties } from 'react';
import { formatDate } from '#platform/web/browser/formats.ts';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';
import { Badge } from '#platform/web/ui/Badge.tsx';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { getColumns, type Bird, type Board, type Feeder } from '../domain/board.ts';
import { BirdForm } from './BirdForm.tsx';
import { useBoard } from './useBoard.ts';
import styles from './BirdsPage.module.css';

const toColourStyle = (colour: string): CSSProperties => ({ '--c': colour }) as CSSProperties;

function FeederName({ feeder }: { readonly feeder: Feeder }) {
  return (
    <>
      <span className={`${styles['dot']} dot`} style={toColourStyle(feeder.colour)} />
      <span className="ellipsis" dir="auto">
        {feeder.name}
      </span>
    </>
  );
}

function BirdCard({ bird, feeder }: { readonly bird: Bird; readonly feeder: Feeder | undefined }) {
  return (
    <li className={`${styles['bird']} hung`} style={toColourStyle(bird.colour)}>
      <span className={styles['feather']}>
        <IconFeather size={22} stroke={1.75} />
      </span>
      <span className={styles['details']}>
        <b className="ellipsis" dir="auto" title={bird.name}>
          {bird.name}
        </b>
        {feeder ? (
          <span className={styles['location']}>
            <FeederName feeder={feeder} />
          </span>
        ) : null}
        {bird.date === '' ? null : <span className={`${styles['date']} num`}>{formatDate(`${bird.date}T00:00`)}</span>}
      </span>
    </li>
  );
}

/** Shows each bird on a peg under its feeder. */
function BoardColumns({ board }: { readonly board: Board }) {
  return (
    <div className={styles['columns']}>
      {getColumns(board).map(({ feeder, birds }) => (
        <section key={feeder?.id ?? 0} className={styles['column']} aria-label={feeder?.name ?? 'No feeder'}>
          <h2 className={styles['feeder']} title={feeder?.name}>
            <IconHome2 size={16} stroke={1.75} />
            {feeder ? <FeederName feeder={feeder} /> : 'No feeder'}
          </h2>
          <ul>
            {birds.map((bird) => (
              <BirdCard key={bird.id} bird={bird} feeder={feeder} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

/**
 * Page of the unfinished bird tracker. Its data is lost when the page closes (docs/specification/birds.md section 4).
 */
export default function BirdsPage() {
  const state = useBoard();
  const [isOpen, setIsOpen] = useState(false);
  const [isNumeric, setIsNumeric] = useState(false);
  const { birds, feeders } = state.board;
  function openForm(isNumberMode: boolean): void {
    setIsNumeric(isNumberMode);
    setIsOpen(true);
  }
  return (
    <div className={styles['page']} data-flush>
      <PageHeader title="birb" beside={<Badge tone="orange">unfinished</Badge>} />
      <p className={styles['note']}>
        <IconInfoCircle size={16} stroke={1.75} />
        Your birds and feeders are deleted when you close this page
      </p>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keyboard users can scroll it */}
      <section className={styles['board']} aria-label="Board of birds and feeders" tabIndex={0}>
        {birds.length + feeders.length > 0 ? (
          <BoardColumns board={state.board} />
        ) : (
          <EmptyState icon={IconFeather} text="Birds appear here under the feeders they visit">
            <Button onClick={() => openForm(false)}>Add a bird or a feeder</Button>
          </EmptyState>
        )}
      </section>
      <button
        type="button"
        className={styles['plus']}
        aria-label="Add a sighting"
        title="Add a sighting"
        aria-haspopup="dialog"
        // Alt opens the hidden number and date mode (docs/specification/birds.md section 1).
        onClick={(event) => openForm(event.altKey)}
        // Some browsers don't turn Alt+Enter into a click.
        onKeyDown={(event) => {
          if (!event.altKey || event.key !== 'Enter') return;
          event.preventDefault();
          openForm(true);
        }}
      >
        <IconPlus size={22} stroke={1.75} />
      </button>
      <Dialog title="Add a sighting" isOpen={isOpen} onClose={() => setIsOpen(false)} width={440}>
        <BirdForm state={state} isNumeric={isNumeric} />
      </Dialog>
    </div>
  );
}
