import { isLoopbackHost } from '#platform/contract/privateAddress.ts';

/** Stands under an address that is meant for another device, while this page's own name leads nowhere from there. */
export function LocalAddressNote({ className }: { readonly className?: string | undefined }) {
  const { hostname } = window.location;
  if (!isLoopbackHost(hostname)) return null;
  return (
    <p className={className}>
      A phone cannot reach {hostname}: open this page under the computer’s address in your network, and copy it there.
    </p>
  );
}
