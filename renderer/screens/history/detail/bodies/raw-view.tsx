import { Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { StoredBody } from '../../../../../shared/exchange/body.ts';
import { markOmitted } from '../../../../../shared/exchange/describe-body.ts';
import { CopyButton } from '../../../../components/copy-button.tsx';
import { tryParse } from '../../../../../shared/parse-bodies/json.ts';
import { JsonTree } from './json-tree.tsx';
import { SearchableText } from './searchable-text.tsx';

interface RawViewProps {
  readonly body: StoredBody;
  /** The thing that is shown, for accessible labels: "the request". */
  readonly what: string;
}

/** Shows a body as it passed: JSON as a tree, and any text with a search. */
export function RawView({ body, what }: RawViewProps) {
  const { text, binary, omitted } = body;
  const [mode, setMode] = useState('Tree');
  const value = useMemo(() => (omitted === null ? tryParse(text) : undefined), [text, omitted]);
  if (binary) {
    return <Text size="sm">It is not text. Of binary data only the size is kept.</Text>;
  }
  if (text === '') return <Text size="sm">It is empty.</Text>;
  const isTree = typeof value === 'object' && value !== null;
  const copy = <CopyButton value={markOmitted(body)} what={what} />;
  if (!isTree) {
    return <SearchableText text={text} omitted={omitted} what={what} aside={copy} />;
  }
  return (
    <Stack gap={8}>
      <Group gap="xs" justify="space-between">
        <SegmentedControl
          size="xs"
          data={['Tree', 'Text']}
          value={mode}
          onChange={setMode}
          aria-label={`Show ${what} as`}
        />
        {mode === 'Tree' && copy}
      </Group>
      {mode === 'Tree' ? (
        <JsonTree value={value} label={what} />
      ) : (
        <SearchableText text={text} omitted={omitted} what={what} aside={copy} />
      )}
    </Stack>
  );
}
