import { IconActivity } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { TOTAL } from '#tools/screentime/contract/limits.ts';
import { compareByHours, listPickerGroups, type PickerGroup } from '../../domain/picker.ts';
import { formatHours, type PickerProps } from './applicationList.ts';
import { AppButton } from './Picker.tsx';
import styles from './Picker.module.css';

/** Can't collide with a category, because names of categories are trimmed. */
const RUNNING_CATEGORY = ' running';

const listGroupNames = ({ recent, older }: PickerGroup): readonly string[] => [...recent, ...older];

/**
 * Row of category buttons, and the applications of the open one. Clicking it again switches all, to the opposite of the
 * last (docs/specification/screentime.md section 1.3).
 */
export function NewPicker({ applications, hours, colours, selected, onPick, onPickAll }: PickerProps) {
  const { data, runningapps } = applications;
  const groups = useMemo((): readonly PickerGroup[] => {
    const categories = listPickerGroups(data, hours, '');
    if (runningapps.length === 0) return categories;
    return [
      { category: RUNNING_CATEGORY, recent: runningapps.toSorted(compareByHours(hours)), older: [] },
      ...categories,
    ];
  }, [data, hours, runningapps]);
  const [openCategory, setOpenCategory] = useState<string>();
  const openGroup = groups.find(({ category }) => category === openCategory);
  function handlePress(group: PickerGroup): void {
    if (group === openGroup) onPickAll(listGroupNames(group));
    else setOpenCategory(group.category);
  }
  const renderChips = (names: readonly string[]) =>
    names.map((name) => (
      <AppButton
        key={name}
        asChip
        name={name}
        colour={colours.get(name)}
        hours={formatHours(hours.get(name))}
        isOn={selected.has(name)}
        onPick={onPick}
      />
    ));
  return (
    <>
      <div className={styles['categories']} role="group" aria-label="Categories">
        {renderChips([TOTAL])}
        {groups.map((group) => (
          <button
            key={group.category}
            type="button"
            aria-expanded={group === openGroup}
            title={group === openGroup ? 'Click again to turn all its apps on or off' : undefined}
            onClick={() => handlePress(group)}
          >
            {group.category === RUNNING_CATEGORY ? (
              <>
                <IconActivity size={15} stroke={1.75} />
                Running
              </>
            ) : (
              <span className="ellipsis" dir="auto">
                {group.category}
              </span>
            )}
            <small>{listGroupNames(group).length}</small>
          </button>
        ))}
        {openGroup ? (
          <span className={styles['hint']}>Click the open category again to turn all its apps on or off</span>
        ) : null}
      </div>
      {openGroup ? (
        <div className={styles['chips']} role="group" aria-label={openGroup.category.trim()}>
          {renderChips(openGroup.recent)}
          {openGroup.recent.length > 0 && openGroup.older.length > 0 ? (
            <span className={styles['bar']} title="Over two weeks ago" />
          ) : null}
          {renderChips(openGroup.older)}
        </div>
      ) : null}
    </>
  );
}
