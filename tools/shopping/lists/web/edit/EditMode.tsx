import { Suspense, useEffect, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { lazyPart } from '#platform/web/app/latePart.ts';
import { notices } from '#platform/web/app/notices.ts';
import { createNewIds } from '#tools/shopping/sync/domain/newId.ts';
import type { GlobalItem } from '../../domain/itemNames.ts';
import type { List } from '../../domain/list.ts';
import { namesOf, type Names } from '../../domain/suggest.ts';
import type { OpenList, Planner } from '../plannerTypes.ts';
import { EditContext, type EditActions } from './editContext.ts';
import { rememberTypes } from './had.ts';
import { createItemDraft, withDraft, type ItemDraft } from './itemDraft.ts';
import { ItemsPanel } from './ItemsPanel.tsx';
import { TypesPanel } from './TypesPanel.tsx';
import { createNearViewport } from './useNearRows.ts';
import styles from './Panels.module.css';

const PasteDialog = lazyPart(async () => (await import('./PasteDialog.tsx')).PasteDialog);

/** One for all lists of this page, so that no id comes twice. */
const nextId = createNewIds();

interface PanelsProps {
  readonly open: OpenList;
  readonly planner: Planner;
  readonly list: List;
  /** Whether a new item is open from the start. */
  readonly addsItem: boolean;
}

interface EditingOptions extends PanelsProps {
  readonly draft: ItemDraft;
  readonly onPaste: EditActions['paste'];
  readonly isPasting: boolean;
  readonly say: EditActions['say'];
}

/** What rows ask and tell, over what was drawn last. */
const useEditing = (options: EditingOptions): EditActions => {
  const { draft } = options;
  const latest = useRef(options);
  useLayoutEffect(() => {
    latest.current = options;
  });
  const names = useRef<{ readonly of: readonly GlobalItem[]; readonly ready: Names<GlobalItem> }>(undefined);
  const expected = useRef<string>(undefined);
  // Ids given and not drawn yet are in use too.
  const given = useRef(new Set<string>());
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
        if (names.current?.of !== globalItems) names.current = { of: globalItems, ready: namesOf(globalItems) };
        return names.current.ready;
      },
      newId: () => {
        const { items, types } = latest.current.list;
        const has = (id: string): boolean => items.has(id) || types.has(id) || given.current.has(id);
        const id = nextId(Date.now(), { size: items.size + types.size, has });
        given.current.add(id);
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
      watch: createNearViewport(),
      draft,
      isPasting: () => latest.current.isPasting,
      untold: new Set(),
    };
  });
  return edit;
};

/** Types of items that go, by whoever's hand, are those that their names had last. */
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
  const [said, setSaid] = useState('');
  /** `into` is the key of an item: it may get its id while the lines are looked at. */
  const [pasted, setPasted] = useState({ text: '', into: undefined as string | undefined, isOpen: false });
  const paste: EditActions['paste'] = (text, into) =>
    setPasted({ text, into: into === undefined ? undefined : open.keyOf(into), isOpen: true });
  const edit = useEditing({ ...props, list, draft, onPaste: paste, isPasting: pasted.isOpen, say: setSaid });
  useRemembered(list);
  useEffect(() => {
    const tellAll = (): void => {
      for (const tell of edit.untold) tell();
    };
    window.addEventListener('pagehide', tellAll);
    document.addEventListener('visibilitychange', tellAll);
    return () => {
      window.removeEventListener('pagehide', tellAll);
      document.removeEventListener('visibilitychange', tellAll);
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
        {said}
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
                : [...list.items.keys()].find((id) => open.keyOf(id) === pasted.into)
            }
            onClose={() => setPasted((before) => ({ ...before, isOpen: false }))}
          />
        )}
      </Suspense>
    </EditContext>
  );
}

type EditModeProps = Omit<PanelsProps, 'list'>;

/** The panels Items and Types of one list; another list is another one of these (`key`), as fields hold what is typed. */
// oxlint-disable-next-line import/no-default-export -- loaded lazily
export default function EditMode(props: EditModeProps) {
  return props.open.list ? <Panels {...props} list={props.open.list} /> : null;
}
