import { isLoopbackHost } from '#platform/contract/privateAddress.ts';

/** Warns below an address for another device that the current host name only works on this computer. */
export function LocalAddressNote({ className }: { readonly className?: string | undefined }) {
  const { hostname } = window.location;
  if (!isLoopbackHost(hostname)) return null;
  return (
    <p className={className}>
      A phone can't reach {hostname}. Open this page at the network address of this computer and copy the link there
    </p>
  );
}
