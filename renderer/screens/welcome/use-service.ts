import { useMutation } from '@tanstack/react-query';
import { DEFAULT_VENDOR, type UpstreamForm, type UpstreamId } from '../../../shared/upstream.ts';
import { type Calls, useCalls } from '../../client/client.ts';
import { sayDone } from '../../parts/said.ts';

interface Wanted {
  readonly baseUrl: string;
  readonly key: string;
}

interface Kept extends Wanted {
  readonly place: 'keychain' | 'file';
}

/** Tests a service, and keeps and uses it. */
export function useService(onDone: () => void) {
  const calls = useCalls();
  const test = useMutation({
    mutationFn: ({ baseUrl, key }: Wanted) =>
      calls.upstreams.test.call({ form: formFor(baseUrl), key }),
  });
  const keep = useMutation({
    mutationFn: (wanted: Kept) => keepAndUse(calls, wanted),
    onSuccess: () => {
      sayDone('The service is in use from now on.');
      onDone();
    },
  });
  return { test, keep };
}

/** What is not asked for in the first steps is as it usually is; Settings has all of it. */
function formFor(baseUrl: string): UpstreamForm {
  return { name: '', baseUrl, versionVendor: DEFAULT_VENDOR, caFile: null, proxyUrl: null };
}

async function keepAndUse(calls: Calls, { baseUrl, key, place }: Kept): Promise<void> {
  const id = await idFor(calls, baseUrl);
  await calls.upstreams.saveKey.call({ id, key, place });
  await calls.upstreams.use.call({ id });
}

/** The upstream with this address: one that is there already, perhaps from a try before this one, or a new one. */
async function idFor(calls: Calls, baseUrl: string): Promise<UpstreamId> {
  const { url } = await calls.upstreams.read.call({ text: baseUrl });
  const known = (await calls.upstreams.list.call()).find((upstream) => upstream.baseUrl === url);
  return known?.id ?? (await calls.upstreams.add.call(formFor(baseUrl))).id;
}
