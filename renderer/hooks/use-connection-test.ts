import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { ConnectionTestReport, UpstreamForm } from '../../shared/upstream.ts';
import { useCalls } from '../api/client.ts';

interface ConnectionTestInput {
  readonly form: UpstreamForm;
  /** `null` for the key that is kept for this address. */
  readonly key: string | null;
}

/** A live test of an address and a key, which ends when the next one begins or the screen is left. */
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
