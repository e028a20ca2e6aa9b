import { Anchor, Text } from '@mantine/core';
import { pluralize } from '../../shared/format.ts';
import { toMessage } from '../format/errors.ts';
import { formatTimestamp } from '../format/format.ts';
import type { BodySearch } from '../hooks/use-body-search.ts';

/** Says what a search in requests and responses has found, and how far it went. */
export function BodySearchNote({ search }: { readonly search: BodySearch }) {
  return (
    <Text size="xs" c="dimmed" role="status">
      {describe(search)}{' '}
      {search.state !== 'running' && (
        <Anchor
          component="button"
          type="button"
          size="xs"
          underline="always"
          onClick={search.repeat}
        >
          Search again
        </Anchor>
      )}
    </Text>
  );
}

function describe({ ids, state, through, error }: BodySearch): string {
  if (error !== null) return `Could not search the requests and responses. ${toMessage(error)}`;
  const found = pluralize(ids.length, 'request');
  if (state === 'running') return `Searching the requests and responses: ${found} so far…`;
  if (state === 'done') return `Found in the requests and responses of ${found}.`;
  const back = through === null ? '' : ` back to ${formatTimestamp(through)}`;
  return `Stopped after ${found}${back}. Earlier ones were not searched: add words.`;
}
