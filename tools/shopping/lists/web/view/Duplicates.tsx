import { Button } from '@mantine/core';
import { IconCopy } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { duplicatesIn, itemOf, mergeChanges, nameKey, type Duplicate } from '../../domain/duplicates.ts';
import type { List } from '../../domain/list.ts';
import { isCheckbox } from '../../domain/state.ts';
import type { OpenList } from '../plannerTypes.ts';
import styles from './Duplicates.module.css';

const MAX_SHOWN = 3;

/** What the button says: two checkboxes have no amounts. */
const mergeLabel = (list: List, duplicate: Duplicate): string => {
  const sum = itemOf(list, duplicate);
  return !sum || isCheckbox(sum.state) ? 'Merge' : `Add up: ${sum.desired.toLocaleString('en')}`;
};

/** Says which names are on the list more than once, whoever added them and wherever, and offers to make one item of them. */
export function Duplicates({ list, open }: { readonly list: List; readonly open: OpenList }) {
  // Kept on purpose, as long as the page shows this list.
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set());
  const all = useMemo(() => duplicatesIn(list), [list]);
  const found = all.filter(({ name }) => !kept.has(nameKey(name)));
  if (found.length === 0) return null;
  return (
    <div className={styles['duplicates']} role="status">
      {found.slice(0, MAX_SHOWN).map((duplicate) => (
        <div key={open.keyOf(duplicate.ids[0] ?? '')} className={styles['line']}>
          <IconCopy size={16} stroke={1.75} aria-hidden />
          <p>
            <span dir="auto">{duplicate.name}</span> is on this list{' '}
            {duplicate.ids.length === 2 ? 'twice' : `${duplicate.ids.length.toLocaleString('en')} times`}
          </p>
          <Button
            size="compact-md"
            aria-label={`${mergeLabel(list, duplicate)} ${duplicate.name}`}
            onClick={() => open.change(mergeChanges(list, duplicate))}
          >
            {mergeLabel(list, duplicate)}
          </Button>
          <Button
            size="compact-md"
            variant="subtle"
            aria-label={`Keep all: ${duplicate.name}`}
            onClick={() => setKept(new Set(kept).add(nameKey(duplicate.name)))}
          >
            Keep all
          </Button>
        </div>
      ))}
      {found.length > MAX_SHOWN && <p>{(found.length - MAX_SHOWN).toLocaleString('en')} more names like these</p>}
    </div>
  );
}
