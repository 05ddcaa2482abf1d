import { UNASSIGNED } from '../../contract/limits.ts';
import { NO_KEYS, type HOTKEY_ACTIONS, type Hotkeys } from './category.ts';

/** A category in the editor. */
export interface Box {
  readonly name: string;
  readonly keys: Hotkeys;
  readonly applications: readonly string[];
}

/** An edit. It is applied to the latest state of the server, because others may have made changes meanwhile. */
export type SortingEdit =
  | { readonly kind: 'move'; readonly application: string; readonly to: string }
  | { readonly kind: 'add'; readonly category: string }
  /** Its applications become unassigned. */
  | { readonly kind: 'remove'; readonly category: string }
  /** Restores a removed category, with those of its applications that are still unassigned. */
  | { readonly kind: 'restore'; readonly box: Box }
  | {
      readonly kind: 'key';
      readonly category: string;
      readonly action: (typeof HOTKEY_ACTIONS)[number];
      readonly key: string;
    };

export function getCategory(boxes: readonly Box[], application: string): string | undefined {
  return boxes.find(({ applications }) => applications.includes(application))?.name;
}

const hasBox = (boxes: readonly Box[], name: string): boolean => boxes.some((box) => box.name === name);

/** Appends a category, before the unassigned box. */
const appendBox = (boxes: readonly Box[], box: Box): readonly Box[] => [
  ...boxes.filter(({ name }) => name !== UNASSIGNED),
  box,
  ...boxes.filter(({ name }) => name === UNASSIGNED),
];

function moveApplication(boxes: readonly Box[], application: string, to: string): readonly Box[] {
  const from = getCategory(boxes, application);
  if (from === undefined || from === to || !hasBox(boxes, to)) return boxes;
  return boxes.map((box) => {
    if (box.name === from) return { ...box, applications: box.applications.filter((name) => name !== application) };
    return box.name === to ? { ...box, applications: [...box.applications, application] } : box;
  });
}

function removeCategory(boxes: readonly Box[], category: string): readonly Box[] {
  const removedBox = boxes.find(({ name }) => name === category);
  if (!removedBox || category === UNASSIGNED) return boxes;
  return boxes
    .filter((box) => box !== removedBox)
    .map((box) =>
      box.name === UNASSIGNED ? { ...box, applications: [...box.applications, ...removedBox.applications] } : box,
    );
}

function restoreCategory(boxes: readonly Box[], box: Box): readonly Box[] {
  const unassignedNames = new Set(boxes.find(({ name }) => name === UNASSIGNED)?.applications);
  const restored = hasBox(boxes, box.name) ? boxes : appendBox(boxes, { ...box, applications: [] });
  return box.applications
    .filter((application) => unassignedNames.has(application))
    .reduce((all, application) => moveApplication(all, application, box.name), restored);
}

/** Applies an edit. Does nothing if its subject no longer exists. */
export function applyEdit(boxes: readonly Box[], edit: SortingEdit): readonly Box[] {
  switch (edit.kind) {
    case 'move':
      return moveApplication(boxes, edit.application, edit.to);
    case 'add':
      return hasBox(boxes, edit.category)
        ? boxes
        : appendBox(boxes, { name: edit.category, keys: NO_KEYS, applications: [] });
    case 'remove':
      return removeCategory(boxes, edit.category);
    case 'restore':
      return restoreCategory(boxes, edit.box);
    case 'key':
      return boxes.map((box) =>
        box.name === edit.category ? { ...box, keys: { ...box.keys, [edit.action]: edit.key } } : box,
      );
  }
}

function invertCategoryEdit(
  boxes: readonly Box[],
  edit: Exclude<SortingEdit, { kind: 'move' | 'restore' }>,
): SortingEdit | undefined {
  const box = boxes.find(({ name }) => name === edit.category);
  if (edit.kind === 'add') return box ? undefined : { kind: 'remove', category: edit.category };
  if (edit.kind === 'remove') return box && box.name !== UNASSIGNED ? { kind: 'restore', box } : undefined;
  return box && box.keys[edit.action] !== edit.key ? { ...edit, key: box.keys[edit.action] } : undefined;
}

/** Returns the edit that undoes another, from the boxes before it; undefined if it had no effect. */
export function invertEdit(boxes: readonly Box[], edit: SortingEdit): SortingEdit | undefined {
  if (edit.kind === 'restore')
    return hasBox(boxes, edit.box.name) ? undefined : { kind: 'remove', category: edit.box.name };
  if (edit.kind !== 'move') return invertCategoryEdit(boxes, edit);
  const from = getCategory(boxes, edit.application);
  return from === undefined || from === edit.to ? undefined : { ...edit, to: from };
}

/**
 * Returns whether a category can have a name: not empty, and not used (docs/specification/screentime.md section 4.4).
 */
export function canAddCategory(boxes: readonly Box[], name: string): boolean {
  return name.trim() !== '' && !hasBox(boxes, name.trim());
}

/**
 * Distributes boxes over columns, each to the shortest. Unassigned is last in the last column, or in the first if it is
 * the only box.
 */
export function distributeColumns(boxes: readonly Box[], count: number): readonly (readonly string[])[] {
  const columns = Array.from({ length: count }, (): { names: string[]; weight: number } => ({ names: [], weight: 0 }));
  const last = columns.at(boxes.length === 1 ? 0 : -1);
  function addToColumn(
    { name, applications }: Box,
    column = columns.reduce((a, b) => (b.weight < a.weight ? b : a)),
  ): void {
    column.names.push(name);
    column.weight += HEAD_WEIGHT + Math.min(applications.length, MAX_WEIGHT);
  }
  const unassigned = boxes.find(({ name }) => name === UNASSIGNED);
  if (unassigned && last) last.weight += HEAD_WEIGHT + Math.min(unassigned.applications.length, MAX_WEIGHT);
  for (const box of boxes) if (box !== unassigned) addToColumn(box);
  if (unassigned && last) last.names.push(unassigned.name);
  return columns.map(({ names }) => names);
}
/** Height of a box's heading, in chips. */
const HEAD_WEIGHT = 5;
const MAX_WEIGHT = 300;
