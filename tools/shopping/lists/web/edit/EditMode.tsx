import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Suspense, useEffect, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { lazyPart } from '#platform/web/app/lazyPart.ts';
import { notices } from '#platform/web/app/notices.ts';
import { createNearObserver, findScroller } from '#platform/web/windowing/nearViewport.ts';
import { createIdGenerator } from '#tools/shopping/sync/domain/writeBatch.ts';
import { type GlobalItem, createNameIndex, type NameIndex } from '../../domain/itemNames.ts';
import { type List, UNSORTED_ID, listIdsInOrder } from '../../domain/list.ts';
import type { OpenList, Planner } from '../plannerTypes.ts';
import { EditContext, type EditActions, useEdit } from './editContext.ts';
import { createItemDraft, addDraft, type ItemDraft } from './itemChanges.ts';
import { ItemsPanel } from './ItemsPanel.tsx';
import { saveLastTypes, addType } from './listActions.ts';
import type { PickerOption } from './Picker.tsx';
import { TypeRow } from './TypeRow.tsx';
import styles from './Panels.module.css';

const NO_ITEMS: readonly PickerOption[] = [];
/** A thousand rows have thousands of fields and buttons, so rows far from the viewport are rendered without them. */
const ROW_MARGIN_PX = 900;

/** Groups items by type, in the order of the list, and counts the ones that only the built-in type shows. */
function groupItemsByType({ items, links }: List): {
  readonly itemsByType: ReadonlyMap<string, readonly PickerOption[]>;
  readonly untypedCount: number;
} {
  const itemsByType = new Map<string, PickerOption[]>();
  let untypedCount = 0;
  for (const [id, { name }] of items) {
    const types = links.get(id);
    if (types === undefined || [...types].every((type) => type === UNSORTED_ID)) untypedCount += 1;
    for (const type of types ?? []) {
      const group = itemsByType.get(type);
      if (group) group.push({ id, label: name });
      else itemsByType.set(type, [{ id, label: name }]);
    }
  }
  return { itemsByType, untypedCount };
}

function TypesPanel({ list, openList }: { readonly list: List; readonly openList: OpenList }) {
  const edit = useEdit();
  const focusedElement = useRef<HTMLElement>(null);
  const order = useMemo(() => listIdsInOrder(list.types), [list.types]);
  const { itemsByType, untypedCount } = useMemo(() => groupItemsByType(list), [list]);
  // Moving a row in the DOM removes the focus from it.
  useLayoutEffect(() => {
    const { current } = focusedElement;
    if (current?.isConnected && document.activeElement === document.body) current.focus({ preventScroll: true });
    current?.scrollIntoView({ block: 'nearest' });
    focusedElement.current = null;
  });

  return (
    <section className={`${styles['panel']} surface`} aria-label="Types">
      <header className={styles['head']}>
        <h2>Types</h2>
        <Button size="xs" leftSection={<IconPlus size={15} stroke={1.75} />} onClick={() => addType(edit)}>
          Add type
        </Button>
      </header>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- records the focus before a key moves a row */}
      <ul
        aria-label="Types in shop order"
        onKeyDownCapture={(event) => {
          const isMove = (event.ctrlKey || event.metaKey) && /^Arrow(Up|Down)$/.test(event.key);
          focusedElement.current = isMove && event.target instanceof HTMLElement ? event.target : null;
        }}
      >
        {order.map((id) => {
          const type = list.types.get(id);
          if (!type) return null;
          const items = itemsByType.get(id) ?? NO_ITEMS;
          return (
            <TypeRow
              key={openList.getKey(id)}
              id={id}
              type={type}
              items={items}
              untypedCount={type.isOwn ? 0 : untypedCount}
              hasMore={items.length < list.items.size}
              isFlashing={openList.flashing.has(id)}
            />
          );
        })}
      </ul>
    </section>
  );
}

const PasteDialog = lazyPart(async () => (await import('./PasteDialog.tsx')).PasteDialog);

/** One generator for all lists of this page, so that ids never repeat. */
const generateId = createIdGenerator();

interface PanelsProps {
  readonly openList: OpenList;
  readonly planner: Planner;
  readonly list: List;
  /** Whether edit mode opens with a new item. */
  readonly addsItem: boolean;
}

interface EditActionsOptions extends PanelsProps {
  readonly draft: ItemDraft;
  readonly onPaste: EditActions['previewPaste'];
  readonly isPasting: boolean;
  readonly onAnnounce: EditActions['announce'];
}

/** Creates the actions of rows, which always use the latest props. */
function useEditActions(options: EditActionsOptions): EditActions {
  const { draft } = options;
  const latest = useRef(options);
  useLayoutEffect(() => {
    latest.current = options;
  });
  const namesCache = useRef<{ readonly globalItems: readonly GlobalItem[]; readonly index: NameIndex<GlobalItem> }>(
    undefined,
  );
  const focusRequest = useRef<string>(undefined);
  // Ids that were assigned but not rendered yet are in use too.
  const assignedIds = useRef(new Set<string>());
  const [edit] = useState((): EditActions => {
    const change: EditActions['change'] = (changes) => {
      latest.current.openList.change(changes);
      draft.settle(changes);
    };
    return {
      getList: () => latest.current.list,
      change,
      getNames: () => {
        const { globalItems } = latest.current.planner;
        if (namesCache.current?.globalItems !== globalItems)
          namesCache.current = { globalItems, index: createNameIndex(globalItems) };
        return namesCache.current.index;
      },
      createId: () => {
        const { items, types } = latest.current.list;
        const has = (id: string): boolean => items.has(id) || types.has(id) || assignedIds.current.has(id);
        const id = generateId(Date.now(), { size: items.size + types.size, has });
        assignedIds.current.add(id);
        return id;
      },
      requestFocus: (id) => {
        focusRequest.current = id;
      },
      isFocusRequested: (id) => focusRequest.current === id,
      takeFocusRequest: (id) => {
        const isRequested = focusRequest.current === id;
        if (isRequested) focusRequest.current = undefined;
        return isRequested;
      },
      announce: (text) => latest.current.onAnnounce(text),
      offerUndo: (text, createUndoChanges) =>
        notices.addWithAction(text, 'Undo', () => {
          const changes = createUndoChanges();
          if (changes.length > 0) change(changes);
        }),
      previewPaste: (text, targetItemId) => latest.current.onPaste(text, targetItemId),
      observe: createNearObserver(findScroller, ROW_MARGIN_PX),
      draft,
      isPasting: () => latest.current.isPasting,
      unsavedDrafts: new Set(),
    };
  });
  return edit;
}

/** Stores the types of removed items, also if others removed them, to suggest them for the same name. */
function useSaveLastTypes(list: List): void {
  const latest = useRef(list);
  useEffect(() => {
    const previous = latest.current;
    latest.current = list;
    if (previous.items === list.items) return;
    for (const id of previous.items.keys()) if (!list.items.has(id)) saveLastTypes(previous, id);
  }, [list]);
  useEffect(
    () => () => {
      for (const id of latest.current.items.keys()) saveLastTypes(latest.current, id);
    },
    [],
  );
}

function Panels(props: PanelsProps) {
  const { openList } = props;
  const [draft] = useState(createItemDraft);
  const draftId = useSyncExternalStore(draft.subscribe, draft.getId);
  const list = useMemo(() => addDraft(props.list, draftId), [props.list, draftId]);
  const [announcement, setAnnouncement] = useState('');
  /** `targetItemKey` is the key of an item, as the item may get its server id while the dialog is open. */
  const [pasteState, setPasteState] = useState({
    text: '',
    targetItemKey: undefined as string | undefined,
    isOpen: false,
  });
  const openPreview: EditActions['previewPaste'] = (text, targetItemId) =>
    setPasteState({
      text,
      targetItemKey: targetItemId === undefined ? undefined : openList.getKey(targetItemId),
      isOpen: true,
    });
  const edit = useEditActions({
    ...props,
    list,
    draft,
    onPaste: openPreview,
    isPasting: pasteState.isOpen,
    onAnnounce: setAnnouncement,
  });
  useSaveLastTypes(list);
  useEffect(() => {
    function saveAll(): void {
      for (const saveDraft of edit.unsavedDrafts) saveDraft();
    }
    window.addEventListener('pagehide', saveAll);
    document.addEventListener('visibilitychange', saveAll);
    return () => {
      window.removeEventListener('pagehide', saveAll);
      document.removeEventListener('visibilitychange', saveAll);
    };
  }, [edit]);

  return (
    <EditContext value={edit}>
      <div className={styles['panels']}>
        <ItemsPanel
          list={list}
          openList={openList}
          addsItem={props.addsItem}
          onPaste={() => setPasteState((current) => ({ ...current, targetItemKey: undefined, isOpen: true }))}
        />
        <TypesPanel list={props.list} openList={openList} />
      </div>
      <p className="unseen" role="status">
        {announcement}
      </p>
      <Suspense>
        {(pasteState.isOpen || pasteState.text !== '') && (
          <PasteDialog
            isOpen={pasteState.isOpen}
            list={list}
            text={pasteState.text}
            onTextChange={(text) => setPasteState((current) => ({ ...current, text }))}
            targetItemId={
              pasteState.targetItemKey === undefined
                ? undefined
                : [...list.items.keys()].find((id) => openList.getKey(id) === pasteState.targetItemKey)
            }
            onClose={() => setPasteState((current) => ({ ...current, isOpen: false }))}
          />
        )}
      </Suspense>
    </EditContext>
  );
}

type EditModeProps = Omit<PanelsProps, 'list'>;

/** The panels Items and Types of one list. Use `key` to remount them for another list, as fields hold drafts. */
// oxlint-disable-next-line import/no-default-export -- loaded lazily
export default function EditMode(props: EditModeProps) {
  return props.openList.list ? <Panels {...props} list={props.openList.list} /> : null;
}
