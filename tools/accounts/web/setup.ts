/** Takes the set-up code out of the address, where the server's first start printed it (`/signup#setup=…`): it shall not stay in the history. */
export const takeSetupCode = (): string | undefined => {
  const code = new URLSearchParams(location.hash.slice(1)).get('setup');
  if (code === null) return undefined;
  history.replaceState(history.state, '', location.pathname + location.search);
  return code;
};
