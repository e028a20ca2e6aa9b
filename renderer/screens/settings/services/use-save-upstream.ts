import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { AddedUpstream, UpstreamId } from '../../../../shared/upstream.ts';
import { useCalls } from '../../../api/client.ts';
import { toUpstreamForm, type UpstreamFormValues } from './upstream-form.ts';

interface SaveInput {
  readonly draft: UpstreamFormValues;
  /** Whether a new service is added although its test failed. */
  readonly untested: boolean;
}

/**
 * Changes a service; or adds one with its key after a test, or nothing at all when the test or a step fails, or the dialog is left
 * before.
 */
export function useSaveUpstream(id: UpstreamId | null) {
  const { upstreams } = useCalls();
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  return useMutation<AddedUpstream, Error, SaveInput>({
    mutationFn: async ({ draft, untested }) => {
      const form = toUpstreamForm(draft);
      if (id !== null) return { upstream: await upstreams.change.call({ id, form }), test: null };
      const { key, place, use } = draft;
      running.current = new AbortController();
      const { signal } = running.current;
      return await upstreams.add.call(
        { ...form, key: key === '' ? null : key, place, use, untested },
        { signal },
      );
    },
  });
}
