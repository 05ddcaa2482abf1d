import { useLayoutEffect, useRef } from 'react';
import { FilterList } from '../../web/FilterList.tsx';
import styles from './MoveTo.module.css';

interface MoveToProps {
  readonly application: string;
  /** Where it is not yet. */
  readonly categories: readonly string[];
  readonly onMove: (category: string) => void;
  /** `giveBack`: the focus returns to the chip. */
  readonly onClose: (giveBack: boolean) => void;
}

/** The list of categories under a chip: what dragging does, without dragging. */
export function MoveTo({ application, categories, onMove, onClose }: MoveToProps) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const box = place.current;
    const around = box?.offsetParent;
    const chip = [...(around?.querySelectorAll<HTMLElement>('[data-application]') ?? [])].find(
      (each) => each.dataset['application'] === application,
    );
    if (!box || !around || !chip) return;
    box.style.top = `${chip.offsetTop + chip.offsetHeight + 6}px`;
    box.style.left = `${Math.max(0, Math.min(chip.offsetLeft, around.clientWidth - box.offsetWidth - 14))}px`;
  }, [application]);
  return (
    <div ref={place} className={styles['move']} role="dialog" aria-label={`Move ${application} to…`}>
      <FilterList
        label="Move to…"
        placeholder="Move to…"
        choices={categories.map((name) => ({ value: name, label: name }))}
        onPick={onMove}
        onClose={onClose}
      />
    </div>
  );
}
