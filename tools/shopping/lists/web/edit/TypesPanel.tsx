import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useLayoutEffect, useMemo, useRef } from 'react';
import { UNSORTED_ID, type List } from '../../domain/list.ts';
import { inOrder } from '../../domain/order.ts';
import type { OpenList } from '../plannerTypes.ts';
import { useEdit } from './editContext.ts';
import type { PickerOption } from './Picker.tsx';
import { addType } from './typeActs.ts';
import { TypeRow } from './TypeRow.tsx';
import styles from './Panels.module.css';

const NONE: readonly PickerOption[] = [];

/** The items of each type, in the list's order, and how many have no type but the built-in one. */
const itemsByType = ({
  items,
  links,
}: List): { readonly of: ReadonlyMap<string, readonly PickerOption[]>; readonly without: number } => {
  const of = new Map<string, PickerOption[]>();
  let without = 0;
  for (const [id, { name }] of items) {
    const types = links.get(id);
    if (types === undefined || [...types].every((type) => type === UNSORTED_ID)) without += 1;
    for (const type of types ?? []) {
      const its = of.get(type);
      if (its) its.push({ id, label: name });
      else of.set(type, [{ id, label: name }]);
    }
  }
  return { of, without };
};

export function TypesPanel({ list, open }: { readonly list: List; readonly open: OpenList }) {
  const edit = useEdit();
  const focused = useRef<HTMLElement>(null);
  const order = useMemo(() => inOrder(list.types), [list.types]);
  const { of, without } = useMemo(() => itemsByType(list), [list]);
  // A row that is moved loses the focus that is in it.
  useLayoutEffect(() => {
    const before = focused.current;
    if (before?.isConnected && document.activeElement === document.body) before.focus({ preventScroll: true });
    before?.scrollIntoView({ block: 'nearest' });
    focused.current = null;
  });

  return (
    <section className={styles['panel']} aria-label="Types">
      <header className={styles['head']}>
        <h2>Types</h2>
        <Button size="xs" leftSection={<IconPlus size={15} stroke={1.75} />} onClick={() => addType(edit)}>
          Add type
        </Button>
      </header>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- before a key moves a row, it is known what has the focus */}
      <ul
        className={styles['rows']}
        aria-label="Types, in the order of the shop"
        onKeyDownCapture={(event) => {
          const isMove = (event.ctrlKey || event.metaKey) && /^Arrow(Up|Down)$/.test(event.key);
          focused.current = isMove && event.target instanceof HTMLElement ? event.target : null;
        }}
      >
        {order.map((id) => {
          const type = list.types.get(id);
          if (!type) return null;
          const items = of.get(id) ?? NONE;
          return (
            <TypeRow
              key={open.keyOf(id)}
              id={id}
              type={type}
              items={items}
              without={type.isOwn ? 0 : without}
              hasMore={items.length < list.items.size}
              isFlashing={open.flashing.has(id)}
            />
          );
        })}
      </ul>
    </section>
  );
}
