import { SecurityEventList } from './SecurityEvents.tsx';

/** Security events of the account. */
export default function SecurityPanel() {
  return (
    <SecurityEventList
      scope="own"
      title="Security"
      emptyText="Wrong passwords, ended sessions and newly paired computers appear here"
    />
  );
}
