import { IconActivity } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { TOTAL } from '#tools/screentime/contract/limits.ts';
import { byHours, pickerGroups, type PickerGroup } from '../../domain/picker.ts';
import { formatHours, type PickerProps } from './applicationList.ts';
import { AppButton } from './Picker.tsx';
import styles from './Picker.module.css';

/** Can't collide with a category, because names of categories are trimmed. */
const RUNNING = ' running';

const listAll = ({ recent, older }: PickerGroup): readonly string[] => [...recent, ...older];

/**
 * Row of category buttons, and the applications of the open one. Clicking it again switches all, to the opposite of the
 * last (docs/specification/screentime.md section 1.3).
 */
export function NewPicker({ applications, hours, colours, on, onPick, onPickAll }: PickerProps) {
  const { data, runningapps } = applications;
  const groups = useMemo((): readonly PickerGroup[] => {
    const categories = pickerGroups(data, hours, '');
    if (runningapps.length === 0) return categories;
    return [{ category: RUNNING, recent: runningapps.toSorted(byHours(hours)), older: [] }, ...categories];
  }, [data, hours, runningapps]);
  const [picked, setPicked] = useState<string>();
  const open = groups.find(({ category }) => category === picked);
  const press = (group: PickerGroup): void => {
    if (group === open) onPickAll(listAll(group));
    else setPicked(group.category);
  };
  const chips = (names: readonly string[]) =>
    names.map((name) => (
      <AppButton
        key={name}
        asChip
        name={name}
        colour={colours.get(name)}
        hours={formatHours(hours.get(name))}
        isOn={on.has(name)}
        onPick={onPick}
      />
    ));
  return (
    <>
      <div className={styles['categories']} role="group" aria-label="Categories">
        {chips([TOTAL])}
        {groups.map((group) => (
          <button
            key={group.category}
            type="button"
            aria-expanded={group === open}
            title={group === open ? 'Click again to turn all its apps on or off' : undefined}
            onClick={() => press(group)}
          >
            {group.category === RUNNING ? (
              <>
                <IconActivity size={15} stroke={1.75} />
                Running
              </>
            ) : (
              <span className="ellipsis" dir="auto">
                {group.category}
              </span>
            )}
            <small>{listAll(group).length}</small>
          </button>
        ))}
        {open ? (
          <span className={styles['hint']}>Click the open category again to turn all its apps on or off</span>
        ) : null}
      </div>
      {open ? (
        <div className={styles['chips']} role="group" aria-label={open.category.trim()}>
          {chips(open.recent)}
          {open.recent.length > 0 && open.older.length > 0 ? (
            <span className={styles['bar']} title="Over two weeks ago" />
          ) : null}
          {chips(open.older)}
        </div>
      ) : null}
    </>
  );
}
