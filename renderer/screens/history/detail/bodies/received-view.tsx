import { Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import type { StoredBody } from '../../../../../shared/exchange/body.ts';
import { pluralize } from '../../../../../shared/format.ts';
import { type Change, diffJson } from '../../../../../shared/compare/diff-json.ts';
import { tryParse } from '../../../../../shared/parse-bodies/json.ts';
import { ChangeList } from './change-list.tsx';
import { RawView } from './raw-view.tsx';

interface ReceivedViewProps {
  /** The request as the client sent it. */
  readonly received: StoredBody;
  /** The request as the service got it. */
  readonly sent: StoredBody;
}

/** Shows the request as the client sent it, and what Gatehouse changed in it. */
export function ReceivedView({ received, sent }: ReceivedViewProps) {
  const changes = useMemo(() => findChanges(received, sent), [received, sent]);
  return (
    <Stack gap={8}>
      <Text size="sm">
        {changes === null
          ? 'Gatehouse sent another text than the client. It is under “Raw”.'
          : changes.length === 0
            ? 'Gatehouse changed only the notation, not the content.'
            : `Gatehouse made ${pluralize(changes.length, 'change')}:`}
      </Text>
      {changes !== null && changes.length > 0 && <ChangeList changes={changes} label="Changes" />}
      <RawView body={received} what="the request as received" />
    </Stack>
  );
}

/** Returns the differences of two JSON bodies; `null` when one of them is no complete JSON. */
function findChanges(received: StoredBody, sent: StoredBody): readonly Change[] | null {
  const before = tryParse(received.text);
  const after = tryParse(sent.text);
  return before === undefined || after === undefined ? null : diffJson(before, after);
}
