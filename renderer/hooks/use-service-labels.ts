import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useCalls } from '../api/client.ts';

/** The services of the history. */
export interface ServiceLabels {
  /** Whether exchanges of more than one service are stored, so that each should say its own. */
  readonly several: boolean;
  /** Returns the name of a service by its id. */
  readonly findName: (id: string | null) => string;
}

/** Returns the names of the services in the history. */
export function useServiceLabels(): ServiceLabels {
  const { data } = useQuery(useCalls().history.names.queryOptions());
  return useMemo(() => {
    const services = data?.services ?? [];
    const known = new Map(services.map(({ id, name }) => [id, name]));
    return {
      several: services.length > 1,
      findName: (id) => (id === null ? 'unknown' : (known.get(id) ?? id)),
    };
  }, [data]);
}
