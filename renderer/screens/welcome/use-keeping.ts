import { ORPCError, safe } from '@orpc/client';
import { useMutation } from '@tanstack/react-query';
import { DEFAULT_VENDOR, type UpstreamForm, type UpstreamId } from '../../../shared/upstream.ts';
import { type Calls, useCalls } from '../../client/client.ts';
import type { KeyPlace } from '../../parts/key-inputs.tsx';
import { sayDone } from '../../parts/said.ts';

interface Wanted {
  readonly baseUrl: string;
  readonly key: string;
  readonly place: KeyPlace;
}

/**
 * Keeps a service with its key, and uses it. Gives why the key could not be kept there, or `null` when all is done.
 */
export function useKeeping(onDone: () => void) {
  const calls = useCalls();
  return useMutation({
    mutationFn: (wanted: Wanted) => keepAndUse(calls, wanted),
    onSuccess: (reason) => {
      if (reason !== null) return;
      sayDone('The service is in use from now on.');
      onDone();
    },
  });
}

/** What is not asked for in the first steps is as it usually is; Settings has all of it. */
export function formFor(baseUrl: string): UpstreamForm {
  return { name: '', baseUrl, versionVendor: DEFAULT_VENDOR, caFile: null, proxyUrl: null };
}

async function keepAndUse(calls: Calls, { baseUrl, key, place }: Wanted): Promise<string | null> {
  const id = await idFor(calls, baseUrl);
  const { error } = await safe(calls.upstreams.saveKey.call({ id, key, place }));
  if (error instanceof ORPCError && error.code === 'REFUSED') return error.message;
  if (error !== null) throw error;
  await calls.upstreams.use.call({ id });
  return null;
}

/** The upstream with this address: one that is there already, perhaps from a try before this one, or a new one. */
async function idFor(calls: Calls, baseUrl: string): Promise<UpstreamId> {
  const { url } = await calls.upstreams.read.call({ text: baseUrl });
  const known = (await calls.upstreams.list.call()).find((upstream) => upstream.baseUrl === url);
  return known?.id ?? (await calls.upstreams.add.call(formFor(baseUrl))).id;
}
