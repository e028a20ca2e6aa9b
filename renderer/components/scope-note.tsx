import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { HistoryFilter } from '../../shared/history/history.ts';
import { SANDBOX_ID } from '../../shared/sandbox-id.ts';
import { useCalls } from '../api/client.ts';

const EVERYTHING: HistoryFilter = {};
const ONLY_SANDBOX: HistoryFilter = { services: [SANDBOX_ID] };
const WITHOUT_SANDBOX: HistoryFilter = { not: { services: [SANDBOX_ID] } };

/** Says which exchanges the totals beside it cover; nothing where there are only exchanges of services. */
export function ScopeNote() {
  const note = useScopeNote();
  if (note === null) return null;
  return (
    <Text span size="xs" c="dimmed">
      {note}
    </Text>
  );
}

/** Returns the text of {@link ScopeNote}. */
export function useScopeNote(): string | null {
  const { isSandbox, isMixed } = useScope();
  if (isSandbox) return 'Sandbox only, not charged';
  return isMixed ? 'Without the sandbox' : null;
}

/** Returns the term that filters the history by the exchanges that the totals cover; empty when they cover all, `null` while that is not known. */
export function useScopeTerm(): string | null {
  const { isPending, isSandbox, isMixed } = useScope();
  if (isPending) return null;
  if (!isMixed) return '';
  return isSandbox ? 'service:sandbox' : '-service:sandbox';
}

/** Returns the filter for the exchanges that the totals cover; `null` while that is not known. */
export function useScopeFilter(): HistoryFilter | null {
  const { isPending, isSandbox, isMixed } = useScope();
  if (isPending) return null;
  if (!isMixed) return EVERYTHING;
  return isSandbox ? ONLY_SANDBOX : WITHOUT_SANDBOX;
}

/** `isMixed`: the history has exchanges of the sandbox and of others. */
function useScope() {
  const calls = useCalls();
  const status = useQuery(calls.status.get.queryOptions());
  const names = useQuery(calls.history.names.queryOptions());
  const isSandbox = status.data?.upstream.kind === 'sandbox';
  const ids = names.data?.services.map(({ id }) => id) ?? [];
  const isMixed = ids.some((id) => (id === SANDBOX_ID) !== isSandbox);
  return { isPending: status.isPending || names.isPending, isSandbox, isMixed };
}
