import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { UsageOf } from '../../../shared/history/usage.ts';
import { toPattern } from '../../../shared/name-pattern.ts';
import { printFilter } from '../../../shared/filter-language/print-filter.ts';
import { SANDBOX_ID } from '../../../shared/sandbox-id.ts';
import { useCalls } from '../../api/client.ts';

interface ServiceChoice {
  readonly value: UsageOf;
  readonly label: string;
}

/** Whose usage the screen shows. */
export interface ShownServices {
  readonly of: UsageOf;
  /** Its name: that of a service, `All services` or `Sandbox`. */
  readonly name: string;
  /** The term of a filter of the history for the same exchanges; empty for all. */
  readonly term: string;
  readonly choices: readonly ServiceChoice[];
}

/** Returns whose usage the screen shows; `null` while that is not known. `chosen`: by default the sandbox while it is in use, otherwise all services. */
export function useShownServices(chosen: UsageOf | undefined): ShownServices | null {
  const calls = useCalls();
  const status = useQuery(calls.status.get.queryOptions());
  const names = useQuery(calls.history.names.queryOptions());
  if (status.data === undefined || names.isPending) return null;
  const of = chosen ?? (status.data.upstream.kind === 'sandbox' ? SANDBOX_ID : 'services');
  const recorded = names.data?.services ?? [];
  const services = recorded.filter(({ id }) => id !== SANDBOX_ID);
  const choices = [
    { value: 'services', label: 'All services' },
    ...services.map(({ id, name }) => ({ value: id, label: name })),
    { value: SANDBOX_ID, label: 'Sandbox' },
  ];
  // One without exchanges may be in the address.
  const isListed = choices.some(({ value }) => value === of);
  const all = isListed ? choices : [...choices, { value: of, label: of }];
  const isWhole = !recorded.some(({ id }) => (id === SANDBOX_ID) === (of === 'services'));
  return {
    of,
    name: all.find(({ value }) => value === of)?.label ?? of,
    term: isWhole && (of === 'services' || of === SANDBOX_ID) ? '' : toTerm(of),
    choices: all,
  };
}

function toTerm(of: UsageOf): string {
  return of === 'services'
    ? printFilter({ not: { services: [SANDBOX_ID] } })
    : printFilter({ services: [toPattern(of)] });
}

interface ServicePickerProps {
  readonly shown: ShownServices;
  readonly onChange: (of: UsageOf) => void;
}

/** Chooses whose usage is shown. */
export function ServicePicker({ shown: { of, choices }, onChange }: ServicePickerProps) {
  return (
    <Select
      size="xs"
      w={200}
      aria-label="Service"
      allowDeselect={false}
      data={[...choices]}
      value={of}
      onChange={(value) => value !== null && onChange(value)}
    />
  );
}
