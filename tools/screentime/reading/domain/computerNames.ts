interface NamedComputer {
  readonly id: number;
  readonly name: string;
  readonly origin: 'paired' | 'imported' | 'removed';
}

/** Names of computers by id, as they are chosen from: one that was removed says so. */
export const computerNames = (computers: readonly NamedComputer[]): Readonly<Record<string, string>> =>
  Object.fromEntries(computers.map(({ id, name, origin }) => [id, origin === 'removed' ? `${name} (removed)` : name]));
