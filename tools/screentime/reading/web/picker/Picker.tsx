import { TextInput } from '@mantine/core';
import { IconActivity, IconChevronDown, IconChevronRight, IconSearch, IconCheck } from '@tabler/icons-react';
import { memo, useMemo, useState, type ReactNode, startTransition, useOptimistic } from 'react';
import { TOTAL, UNASSIGNED } from '#tools/screentime/contract/limits.ts';
import { compareByHours, listPickerGroups, type PickerGroup } from '../../domain/picker.ts';
import { formatHours, type PickerProps } from './applicationList.ts';
import styles from './Picker.module.css';

interface AppButtonProps {
  readonly name: string;
  readonly colour: string | undefined;
  readonly hours: string;
  readonly isOn: boolean;
  /** Round and as wide as its text. */
  readonly asChip?: boolean;
  readonly onPick: (name: string) => void;
}

/** Toggle of an application. It changes immediately, while dependent parts still render. */
export const AppButton = memo(function AppButton({ name, colour, hours, isOn, asChip, onPick }: AppButtonProps) {
  const [isPressed, setPressed] = useOptimistic(isOn);
  const handlePress = (): void =>
    startTransition(() => {
      setPressed(!isPressed);
      onPick(name);
    });
  return (
    <button
      type="button"
      className={asChip ? styles['chip'] : styles['app']}
      aria-pressed={isPressed}
      title={name}
      onClick={handlePress}
    >
      <i className="dot" style={{ background: colour }} />
      <span dir="auto">{name}</span>
      {hours === '' ? null : <small>{hours}</small>}
      {isPressed ? <IconCheck size={15} stroke={2} aria-hidden /> : null}
    </button>
  );
});

type AppButtonsProps = Pick<PickerProps, 'hours' | 'colours' | 'selected' | 'onPick'> & {
  readonly names: readonly string[];
};

function AppButtons({ names, hours, colours, selected, onPick }: AppButtonsProps) {
  return names.map((name) => (
    <AppButton
      key={name}
      name={name}
      colour={colours.get(name)}
      hours={formatHours(hours.get(name))}
      isOn={selected.has(name)}
      onPick={onPick}
    />
  ));
}

interface CategoryProps {
  readonly group: PickerGroup;
  readonly isOpen: boolean;
  readonly toggle: () => void;
  readonly children: (names: readonly string[]) => ReactNode;
}

function Category({ group: { category, recent, older }, isOpen, toggle, children }: CategoryProps) {
  const Icon = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <section aria-label={category}>
      <button type="button" className={styles['category']} aria-expanded={isOpen} onClick={toggle}>
        <Icon size={16} stroke={1.75} />
        <span className="ellipsis" dir="auto">
          {category}
        </span>
        <small>{recent.length + older.length}</small>
      </button>
      {isOpen && recent.length > 0 ? (
        <>
          <p>Recently used</p>
          {children(recent)}
        </>
      ) : null}
      {isOpen && older.length > 0 ? (
        <>
          <p>Over two weeks ago</p>
          {children(older)}
        </>
      ) : null}
    </section>
  );
}

/** Manages folded categories. Unassigned is folded if there are others. */
function useFoldedCategories(groups: readonly PickerGroup[]) {
  const [toggledCategories, setToggledCategories] = useState<ReadonlySet<string>>(new Set());
  const isOpen = (category: string): boolean =>
    (category !== UNASSIGNED || groups.length === 1) !== toggledCategories.has(category);
  function toggle(category: string): void {
    const next = new Set(toggledCategories);
    if (!next.delete(category)) next.add(category);
    setToggledCategories(next);
  }
  return { isOpen, toggle };
}

interface SearchFieldProps {
  readonly searchText: string;
  readonly setSearchText: (searchText: string) => void;
  readonly hasFocus: boolean;
}

const SearchField = memo(function SearchField({ searchText, setSearchText, hasFocus }: SearchFieldProps) {
  return (
    <TextInput
      aria-label="Find an app"
      placeholder="Find an app"
      data-find
      {...(hasFocus ? { 'data-autofocus': true } : {})}
      leftSection={<IconSearch size={15} stroke={1.75} />}
      value={searchText}
      onChange={({ currentTarget }) => setSearchText(currentTarget.value)}
    />
  );
});

interface PickerViewProps extends PickerProps {
  /** Whether the search field gets the focus, as in a dialog. */
  readonly hasFocus?: boolean;
}

/** All applications by category, open ones first. */
export function Picker({ applications, hours, colours, selected, onPick, hasFocus = false }: PickerViewProps) {
  const { data, runningapps } = applications;
  const [searchText, setSearchText] = useState('');
  const groups = useMemo(() => listPickerGroups(data, hours, searchText), [data, hours, searchText]);
  const runningApps = useMemo(() => runningapps.toSorted(compareByHours(hours)), [runningapps, hours]);
  const foldedCategories = useFoldedCategories(groups);
  const isSearching = searchText.trim() !== '';
  const renderButtons = (names: readonly string[]): ReactNode => (
    <AppButtons names={names} hours={hours} colours={colours} selected={selected} onPick={onPick} />
  );
  return (
    <div className={styles['picker']}>
      <SearchField searchText={searchText} setSearchText={setSearchText} hasFocus={hasFocus} />
      {isSearching ? null : (
        <>
          {renderButtons([TOTAL])}
          {runningApps.length > 0 ? (
            <section aria-label="Running">
              <h3>
                <IconActivity size={16} stroke={1.75} />
                Running
              </h3>
              {renderButtons(runningApps)}
            </section>
          ) : null}
        </>
      )}
      {groups.map((group) => (
        <Category
          key={group.category}
          group={group}
          isOpen={isSearching || foldedCategories.isOpen(group.category)}
          toggle={() => foldedCategories.toggle(group.category)}
        >
          {renderButtons}
        </Category>
      ))}
      {isSearching && groups.length === 0 ? <p role="status">No apps match</p> : null}
    </div>
  );
}
