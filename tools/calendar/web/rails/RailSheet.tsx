import { useCallback, useState } from 'react';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { type DialogName, MORE_ACTIONS } from '../MoreMenu.tsx';
import type { CalendarViewProps, Selection } from '../selection.ts';
import { DateRail } from './DateRail.tsx';
import { DurationRail } from './DurationRail.tsx';
import styles from './RailSheet.module.css';

interface RailSheetProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly viewProps: CalendarViewProps;
  readonly onOpenDialog: (dialog: DialogName) => void;
}

const TABS = [
  { tab: 'dates', name: 'Date specific events' },
  { tab: 'durations', name: 'Duration events' },
] as const;
type Tab = (typeof TABS)[number]['tab'];

/** Both rails in a narrow window, one at a time. Selecting an entry closes the sheet. */
export function RailSheet({ isOpen, onClose, viewProps, onOpenDialog }: RailSheetProps) {
  const [selectedTab, setSelectedTab] = useState<Tab>('dates');
  const { onSelect } = viewProps;
  const select = useCallback(
    (next: Selection): void => {
      onClose();
      onSelect(next);
    },
    [onClose, onSelect],
  );
  return (
    <Dialog title="Dates" isOpen={isOpen} onClose={onClose} lockScroll={false}>
      <div className={styles['tabs']} role="tablist" aria-label="Dates">
        {TABS.map(({ tab, name }) => (
          <button
            key={tab}
            type="button"
            role="tab"
            id={`calendar-tab-${tab}`}
            aria-controls="calendar-rail"
            aria-selected={tab === selectedTab}
            tabIndex={tab === selectedTab ? 0 : -1}
            onClick={() => setSelectedTab(tab)}
            onKeyDown={({ key, currentTarget }) => {
              if (key !== 'ArrowLeft' && key !== 'ArrowRight') return;
              const other = currentTarget.nextElementSibling ?? currentTarget.previousElementSibling;
              if (!(other instanceof HTMLElement)) return;
              other.focus();
              other.click();
            }}
          >
            {name}
          </button>
        ))}
      </div>
      <div
        id="calendar-rail"
        className={styles['rail']}
        role="tabpanel"
        aria-labelledby={`calendar-tab-${selectedTab}`}
      >
        {selectedTab === 'dates' ? (
          <DateRail {...viewProps} onSelect={select} />
        ) : (
          <DurationRail {...viewProps} onSelect={select} />
        )}
      </div>
      <div className={styles['more']}>
        {MORE_ACTIONS.map(({ dialog, name, icon: Icon }) => (
          <button
            key={dialog}
            type="button"
            onClick={() => {
              onClose();
              onOpenDialog(dialog);
            }}
          >
            <Icon size={16} stroke={1.75} />
            {name}
          </button>
        ))}
      </div>
    </Dialog>
  );
}
