/**
 * A list that one tool offers and others add to. The tool that reads it declares it in its contract, so that neither
 * tool imports the other.
 */
export interface Slot<Value> {
  readonly name: string;
  /** Only for the type checker. */
  readonly values?: readonly Value[];
}

/** A value that a tool adds to a slot. */
export interface SlotEntry {
  readonly slot: string;
  readonly value: unknown;
}

/** Declares a slot. @param name unique, '<tool>.<noun>' */
export function defineSlot<Value>(name: string): Slot<Value> {
  return { name };
}

export function addToSlot<Value>(slot: Slot<Value>, value: Value): SlotEntry {
  return { slot: slot.name, value };
}

/** Returns the values of a slot, in the order of the entries. */
export function listSlotValues<Value>(slot: Slot<Value>, entries: readonly SlotEntry[]): readonly Value[] {
  return entries.filter((entry) => entry.slot === slot.name).map(({ value }) => value as Value);
}
