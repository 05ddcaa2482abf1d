interface Counts {
  readonly added: number;
  readonly changed: number;
  readonly same: number;
}

const number = (count: number): string => count.toLocaleString('en');
const events = (count: number): string => `${number(count)} ${count === 1 ? 'event' : 'events'}`;
const isOrAre = (count: number): string => (count === 1 ? 'is' : 'are');

/** What a file holds: '120 events are new, 3 are changed, 5 are here already'. */
export const countWords = ({ added, changed, same }: Counts): string => {
  const counts = [
    { count: added, words: 'new' },
    { count: changed, words: 'changed' },
    { count: same, words: 'here already' },
  ].filter(({ count }) => count > 0);
  if (counts.length === 0) return 'No events are in it';
  return counts
    .map(({ count, words }, index) => `${index === 0 ? events(count) : number(count)} ${isOrAre(count)} ${words}`)
    .join(', ');
};

/** What was done: '120 events imported, 3 changed, 5 were here already'. */
export const doneWords = ({ added, changed, same, refused }: Counts & { readonly refused: number }): string =>
  [
    `${events(added)} imported`,
    ...(changed > 0 ? [`${number(changed)} changed`] : []),
    ...(same > 0 ? [`${number(same)} ${same === 1 ? 'was' : 'were'} here already`] : []),
    ...(refused > 0 ? [`${number(refused)} could not be imported`] : []),
  ].join(', ');
