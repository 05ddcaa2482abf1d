/** The dot beside a state's word: green, hollow, or orange for anything in progress. */
export const getStateDot = (state: string): string => {
  if (state === 'Connected') return 'var(--green)';
  return state === 'Disconnected' ? 'hollow' : 'var(--orange)';
};
