import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { ConnectionTestReport, UpstreamForm } from '../../shared/upstream.ts';
import { useCalls } from '../api/client.ts';

interface ConnectionTestInput {
  readonly form: UpstreamForm;
  /** `null` to test with the key that is stored for this address. */
  readonly key: string | null;
  /** Whether it is a service to add, which is tested with a typed key only. */
  readonly isNew?: boolean;
}

/** Tests an address and a key. A running test is aborted by the next one and when the screen is left. */
export function useConnectionTest() {
  const calls = useCalls();
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  return useMutation<ConnectionTestReport, Error, ConnectionTestInput>({
    mutationFn: async (input) => {
      running.current?.abort();
      running.current = new AbortController();
      return await calls.upstreams.test.call(input, { signal: running.current.signal });
    },
  });
}
