import { Events } from './SecurityEvents.tsx';

/** Security events of the account. */
export default function SecurityPanel() {
  return (
    <Events
      scope="own"
      title="Security"
      empty="Wrong passwords, ended sessions and newly paired computers appear here"
    />
  );
}
