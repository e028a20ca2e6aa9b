import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Upstream } from '../../../shared/upstream.ts';
import { useCalls } from '../../api/client.ts';
import { ScreenLink } from '../../components/screen-link.tsx';
import { toastError, toastMessage, toastSuccess } from '../../hooks/toast.ts';
import { useConnectionTest } from '../../hooks/use-connection-test.ts';

/** The remedies for a service that cannot be reached: ask it again, or use another. */
export function UnreachableActions() {
  const { data: status } = useQuery(useCalls().status.get.queryOptions());
  if (status?.upstream.kind !== 'service') return null;
  return (
    <>
      <CheckNow upstream={status.upstream} />
      <ScreenLink to="/settings" search={{ setting: 'Services' }} size="sm">
        Use another service
      </ScreenLink>
      <ScreenLink to="/doctor" size="sm">
        Check everything
      </ScreenLink>
    </>
  );
}

function CheckNow({ upstream }: { readonly upstream: Upstream }) {
  const calls = useCalls();
  const queries = useQueryClient();
  const check = useConnectionTest();
  const { name, baseUrl, versionVendor, caFile, proxyUrl } = upstream;
  const form = { name, baseUrl, versionVendor, caFile, proxyUrl };
  const ask = () =>
    check.mutate(
      { form, key: null },
      {
        onSuccess: ({ works, sentence }) => {
          if (works) toastSuccess(`${name} answers.`);
          else toastMessage(`${name} was checked`, sentence);
        },
        onError: (error) => toastError(`Could not check ${name}.`, error),
        // A failure for the same cause is reported by no event.
        onSettled: () => {
          void queries.invalidateQueries({ queryKey: calls.status.get.key() });
          void queries.invalidateQueries({ queryKey: calls.home.attention.key() });
        },
      },
    );
  return (
    <Button size="compact-sm" variant="default" loading={check.isPending} onClick={ask}>
      Check now
    </Button>
  );
}
