import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Suspense, useEffect, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { lazyPart } from '#platform/web/app/lazyPart.ts';
import { notices } from '#platform/web/app/notices.ts';
import { createNearObserver, findScroller } from '#platform/web/windowing/nearViewport.ts';
import { createNewIds } from '#tools/shopping/sync/domain/writeBatch.ts';
import { type GlobalItem, prepareNames, type Names } from '../../domain/itemNames.ts';
import { type List, UNSORTED_ID, listIdsInOrder } from '../../domain/list.ts';
import type { OpenList, Planner } from '../plannerTypes.ts';
import { EditContext, type EditActions, useEdit } from './editContext.ts';
import { createItemDraft, withDraft, type ItemDraft } from './itemChanges.ts';
import { ItemsPanel } from './ItemsPanel.tsx';
import { rememberTypes, addType } from './listActions.ts';
import type { PickerOption } from './Picker.tsx';
import { TypeRow } from './TypeRow.tsx';
import styles from './Panels.module.css';

const NONE: readonly PickerOption[] = [];
/** A thousand rows have thousands of fields and buttons, so rows far from the viewport are rendered without them. */
const ROW_MARGIN_PX = 900;

/** Groups items by type, in the order of the list, and counts the ones that only the built-in type shows. */
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
      const group = of.get(type);
      if (group) group.push({ id, label: name });
      else of.set(type, [{ id, label: name }]);
    }
  }
  return { of, without };
};

export function TypesPanel({ list, open }: { readonly list: List; readonly open: OpenList }) {
  const edit = useEdit();
  const focused = useRef<HTMLElement>(null);
  const order = useMemo(() => listIdsInOrder(list.types), [list.types]);
  const { of, without } = useMemo(() => itemsByType(list), [list]);
  // Moving a row in the DOM removes the focus from it.
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
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- records the focus before a key moves a row */}
      <ul
        className={styles['rows']}
        aria-label="Types in shop order"
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
              key={open.getKey(id)}
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

const PasteDialog = lazyPart(async () => (await import('./PasteDialog.tsx')).PasteDialog);

/** One generator for all lists of this page, so that ids never repeat. */
const nextId = createNewIds();

interface PanelsProps {
  readonly open: OpenList;
  readonly planner: Planner;
  readonly list: List;
  /** Whether edit mode opens with a new item. */
  readonly addsItem: boolean;
}

interface EditingOptions extends PanelsProps {
  readonly draft: ItemDraft;
  readonly onPaste: EditActions['paste'];
  readonly isPasting: boolean;
  readonly say: EditActions['say'];
}

/** Creates the actions of rows, which always use the latest props. */
const useEditing = (options: EditingOptions): EditActions => {
  const { draft } = options;
  const latest = useRef(options);
  useLayoutEffect(() => {
    latest.current = options;
  });
  const names = useRef<{ readonly of: readonly GlobalItem[]; readonly ready: Names<GlobalItem> }>(undefined);
  const expected = useRef<string>(undefined);
  // Ids that were assigned but not rendered yet are in use too.
  const assignedIds = useRef(new Set<string>());
  const [edit] = useState((): EditActions => {
    const change: EditActions['change'] = (changes) => {
      latest.current.open.change(changes);
      draft.settle(changes);
    };
    return {
      list: () => latest.current.list,
      change,
      names: () => {
        const { globalItems } = latest.current.planner;
        if (names.current?.of !== globalItems) names.current = { of: globalItems, ready: prepareNames(globalItems) };
        return names.current.ready;
      },
      newId: () => {
        const { items, types } = latest.current.list;
        const has = (id: string): boolean => items.has(id) || types.has(id) || assignedIds.current.has(id);
        const id = nextId(Date.now(), { size: items.size + types.size, has });
        assignedIds.current.add(id);
        return id;
      },
      expect: (id) => {
        expected.current = id;
      },
      isWaitedFor: (id) => expected.current === id,
      isExpected: (id) => {
        const is = expected.current === id;
        if (is) expected.current = undefined;
        return is;
      },
      say: (text) => latest.current.say(text),
      offerUndo: (text, inverse) =>
        notices.addWithAction(text, 'Undo', () => {
          const changes = inverse();
          if (changes.length > 0) change(changes);
        }),
      paste: (text, into) => latest.current.onPaste(text, into),
      watch: createNearObserver(findScroller, ROW_MARGIN_PX),
      draft,
      isPasting: () => latest.current.isPasting,
      unsavedDrafts: new Set(),
    };
  });
  return edit;
};

/** Stores the types of removed items, also if others removed them, to suggest them for the same name. */
const useRemembered = (list: List): void => {
  const before = useRef(list);
  useEffect(() => {
    const was = before.current;
    before.current = list;
    if (was.items === list.items) return;
    for (const id of was.items.keys()) if (!list.items.has(id)) rememberTypes(was, id);
  }, [list]);
  useEffect(
    () => () => {
      for (const id of before.current.items.keys()) rememberTypes(before.current, id);
    },
    [],
  );
};

function Panels(props: PanelsProps) {
  const { open } = props;
  const [draft] = useState(createItemDraft);
  const draftId = useSyncExternalStore(draft.subscribe, draft.id);
  const list = useMemo(() => withDraft(props.list, draftId), [props.list, draftId]);
  const [announcement, setSaid] = useState('');
  /** `into` is the key of an item, as the item may get its server id while the dialog is open. */
  const [pasted, setPasted] = useState({ text: '', into: undefined as string | undefined, isOpen: false });
  const paste: EditActions['paste'] = (text, into) =>
    setPasted({ text, into: into === undefined ? undefined : open.getKey(into), isOpen: true });
  const edit = useEditing({ ...props, list, draft, onPaste: paste, isPasting: pasted.isOpen, say: setSaid });
  useRemembered(list);
  useEffect(() => {
    const saveAll = (): void => {
      for (const saveDraft of edit.unsavedDrafts) saveDraft();
    };
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
          open={open}
          addsItem={props.addsItem}
          onPaste={() => setPasted((before) => ({ ...before, into: undefined, isOpen: true }))}
        />
        <TypesPanel list={props.list} open={open} />
      </div>
      <p className="unseen" role="status">
        {announcement}
      </p>
      <Suspense>
        {(pasted.isOpen || pasted.text !== '') && (
          <PasteDialog
            opened={pasted.isOpen}
            list={list}
            text={pasted.text}
            onText={(text) => setPasted((before) => ({ ...before, text }))}
            into={
              pasted.into === undefined
                ? undefined
                : [...list.items.keys()].find((id) => open.getKey(id) === pasted.into)
            }
            onClose={() => setPasted((before) => ({ ...before, isOpen: false }))}
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
  return props.open.list ? <Panels {...props} list={props.open.list} /> : null;
}
