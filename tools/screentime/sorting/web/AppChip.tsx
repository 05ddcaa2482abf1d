import { draggable } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { setCustomNativeDragPreview } from '@atlaskit/pragmatic-drag-and-drop/element/set-custom-native-drag-preview';
import { IconGripVertical } from '@tabler/icons-react';
import { useEffect, useRef, type CSSProperties } from 'react';
import { carrying } from './carried.ts';
import styles from './AppChip.module.css';

interface AppChipProps {
  readonly application: string;
  readonly category: string;
  /** CSS. */
  readonly colour: string | undefined;
  /** The one of its box that Tab stops at. */
  readonly isStop: boolean;
  /** Its 'Move to…' is open. */
  readonly isOpen: boolean;
  readonly onOpen: () => void;
}

const NO_COLOUR = 'var(--text-3)';

/** An application: dragged into another category, or moved there by the menu that it opens. */
export function AppChip({ application, category, colour, isStop, isOpen, onOpen }: AppChipProps) {
  const chip = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = chip.current;
    if (!element) return undefined;
    return draggable({
      element,
      getInitialData: () => carrying({ application, from: category }),
      onGenerateDragPreview: ({ nativeSetDragImage }) =>
        setCustomNativeDragPreview({
          nativeSetDragImage,
          getOffset: ({ container }) => ({ x: container.offsetWidth / 2, y: container.offsetHeight / 2 }),
          render: ({ container }) => {
            container.className = styles['carried'] ?? '';
            container.append(element.cloneNode(true));
          },
        }),
      onDragStart: () => {
        element.dataset['dragged'] = '';
      },
      onDrop: () => delete element.dataset['dragged'],
    });
  }, [application, category]);
  return (
    // A button cannot be dragged in every browser.
    <div
      ref={chip}
      className={styles['chip']}
      style={{ '--c': colour ?? NO_COLOUR } as CSSProperties}
      role="button"
      tabIndex={isStop ? 0 : -1}
      aria-label={`${application}, move`}
      aria-haspopup="dialog"
      aria-expanded={isOpen}
      data-application={application}
      title={application}
      onClick={onOpen}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        onOpen();
      }}
    >
      <IconGripVertical size={14} stroke={1.75} />
      <span className={styles['dot']} />
      <span className="ellipsis" dir="auto">
        {application}
      </span>
    </div>
  );
}
