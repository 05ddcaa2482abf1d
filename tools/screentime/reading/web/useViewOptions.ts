import { startTransition, useCallback, useEffect, useMemo, useState } from 'react';
import { useSession } from '#platform/web/app/session.ts';
import { browserStorage, useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import { ALL_DEVICES, TOTAL } from '../../contract/limits.ts';

/** State of the toggles. */
export interface ViewOptions {
  readonly hideUnused: boolean;
  readonly compact: boolean;
  readonly goals: boolean;
  readonly breakdown: boolean;
  readonly newPicker: boolean;
  /** Whether time on several devices at the same time counts once. An addition to the specification. */
  readonly mergesComputers: boolean;
}
export type OptionName = keyof ViewOptions;

/** See docs/specification/screentime.md section 4.2. */
const DEFAULT_OPTIONS: ViewOptions = {
  hideUnused: false,
  compact: false,
  goals: true,
  breakdown: true,
  newPicker: false,
  mergesComputers: false,
};

/** Returns the name of an option in the stored value, which still has an earlier name. */
const getStoredName = (name: string): string => (name === 'mergesComputers' ? 'wall' : name);

/** Parses a stored value; an invalid one counts as none. */
function parseJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Manages the toggles, stored in this browser. */
export function useViewOptions() {
  const [text, storeText] = useBrowserStorage('screentime.options');
  const options = useMemo((): ViewOptions => {
    const storedOptions = parseJson(text);
    if (!isRecord(storedOptions)) return DEFAULT_OPTIONS;
    const entries = Object.entries(DEFAULT_OPTIONS).map(([name, defaultValue]) => {
      const value = storedOptions[getStoredName(name)];
      return [name, typeof value === 'boolean' ? value : defaultValue];
    });
    return Object.fromEntries(entries);
  }, [text]);
  function toggle(toggledName: OptionName): void {
    const changedOptions = { ...options, [toggledName]: !options[toggledName] };
    const entries = Object.entries(changedOptions).map(([name, value]) => [getStoredName(name), value]);
    storeText(JSON.stringify(Object.fromEntries(entries)));
  }
  return { options, toggle };
}

const SELECTION_KEY = 'screentime.on';
const DEFAULT_SELECTION: readonly string[] = [TOTAL];

function parseSelection(text: string | undefined, username: string): readonly string[] {
  const storedSelection = parseJson(text);
  if (!isRecord(storedSelection) || !Array.isArray(storedSelection['on'])) return DEFAULT_SELECTION;
  // The account is not known immediately.
  if (username !== '' && storedSelection['of'] !== username) return DEFAULT_SELECTION;
  return storedSelection['on'].filter((name): name is string => typeof name === 'string');
}

type SelectionChange = (selection: readonly string[]) => readonly string[];
export type ChangeSelection = (change: SelectionChange) => void;

const applyChanges = (selection: readonly string[], changes: readonly SelectionChange[]): readonly string[] =>
  changes.reduce((current, change) => change(current), selection);

const storeSelection = (username: string, changes: readonly SelectionChange[]): void =>
  browserStorage.set(
    SELECTION_KEY,
    JSON.stringify({
      of: username,
      on: applyChanges(parseSelection(browserStorage.get(SELECTION_KEY), username), changes),
    }),
  );

/**
 * Manages the selected applications in order of selection, stored per account in this browser. Dependent parts render
 * later than the pressed button.
 */
export function useStoredSelection() {
  const [text, setText] = useState(() => browserStorage.get(SELECTION_KEY));
  const username = useSession()?.username ?? '';
  // Changes made before the account is known are applied afterwards.
  const [pendingChanges, setPendingChanges] = useState<readonly SelectionChange[]>([]);
  useEffect(() => {
    if (username === '' || pendingChanges.length === 0) return;
    storeSelection(username, pendingChanges);
    // oxlint-disable-next-line react-hooks-js/set-state-in-effect -- from here on the browser's storage has them
    setText(browserStorage.get(SELECTION_KEY));
    setPendingChanges([]);
  }, [username, pendingChanges]);
  const selection = useMemo(
    () => applyChanges(parseSelection(text, username), pendingChanges),
    [text, username, pendingChanges],
  );
  const changeSelection = useCallback<ChangeSelection>(
    (change) => {
      if (username !== '') storeSelection(username, [change]);
      startTransition(() => {
        if (username === '') setPendingChanges((before) => [...before, change]);
        else setText(browserStorage.get(SELECTION_KEY));
      });
    },
    [username],
  );
  return { storedNames: selection, changeSelection };
}

export const ALL_DEVICES_ID = String(ALL_DEVICES);

/** Returns the selected computer; one that no longer exists counts as all. */
export function useSelectedDevice(computers: Readonly<Record<string, string>> | undefined) {
  const [storedId = ALL_DEVICES_ID, selectDevice] = useBrowserStorage('screentime.device');
  const deviceid = computers === undefined || Object.hasOwn(computers, storedId) ? storedId : ALL_DEVICES_ID;
  return { deviceid, selectDevice };
}
