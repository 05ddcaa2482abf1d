import { useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '#platform/web/app/call.ts';
import { notices } from '#platform/web/app/notices.ts';
import { formatDate } from '#platform/web/browser/formats.ts';
import { linksinglesignon, singlesignon, unlinksinglesignon } from '../../contract/singleSignOn.ts';
import { PasswordAction } from './PasswordConfirmation.tsx';
import { QueryCard } from './QueryCard.tsx';

const QUERY_KEY = ['singlesignon'] as const;

/** The link to the OpenID provider; nothing on servers without one. */
export default function SingleSignOnPanel() {
  const queryClient = useQueryClient();
  const query = useQuery({ queryKey: QUERY_KEY, queryFn: () => call(singlesignon, {}) });
  const { provider, link } = query.data ?? {};
  if (provider === undefined) return null;
  return (
    <QueryCard title="Single sign-on" query={query}>
      {link === undefined ? (
        <PasswordAction
          title={provider}
          text={`Not linked. Link it to log in with ${provider}`}
          openLabel="Link"
          openName={`Link ${provider}`}
          confirmLabel="Continue"
          onConfirm={async (password) => {
            const { address } = await call(linksinglesignon, { password });
            window.location.assign(address);
          }}
        />
      ) : (
        <PasswordAction
          title={provider}
          text={
            <>
              Linked{' '}
              {link.label === '' ? null : (
                <>
                  to <bdi>{link.label}</bdi>{' '}
                </>
              )}
              since {formatDate(link.created)}. A new password unlinks it
            </>
          }
          openLabel="Unlink"
          openName={`Unlink ${provider}`}
          confirmLabel="Confirm Unlink"
          danger
          onConfirm={async (password) => {
            await call(unlinksinglesignon, { password });
            notices.add('good', `You no longer log in with ${provider}`);
            await queryClient.invalidateQueries({ queryKey: QUERY_KEY });
          }}
        />
      )}
    </QueryCard>
  );
}
