import { Anchor, Code, Group, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { ModelSummary } from '../../../shared/model.ts';
import { useCalls } from '../../api/client.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { toMessage } from '../../format/errors.ts';
import classes from './models.module.css';

const PAUSE_MS = 150;
const MAX_LENGTH = 256;

interface ModelResolutionHintProps {
  readonly find: string;
  readonly models: readonly ModelSummary[];
  /** Number of models in the list that match. */
  readonly found: number;
  readonly onChoose: (id: string) => void;
}

/** Explains a pasted name that is not a listed id: why it is wrong, and which ids to use instead. */
export function ModelResolutionHint({ find, models, found, onChoose }: ModelResolutionHintProps) {
  const [name] = useDebouncedValue(find.trim().slice(0, MAX_LENGTH), PAUSE_MS);
  const isUnlisted = name.length > 1 && !models.some(({ model }) => model.id === name);
  const { data, error, isPlaceholderData } = useQuery(
    useCalls().models.explain.queryOptions({
      input: { name },
      enabled: isUnlisted && models.length > 0,
    }),
  );
  const failed = error !== null && found === 0;
  // No correction while the person is typing and the list has matches.
  const telling =
    isUnlisted && data !== undefined && !isPlaceholderData && (data.kind === 'one' || found === 0);
  const ids = data === undefined ? [] : [data.id, ...data.suggestions].filter((id) => id !== null);
  return (
    <div role="status" aria-label="Name check">
      {isUnlisted && failed && <Text size="sm">{toMessage(error)}</Text>}
      {telling && (
        <div className={classes['meaning']}>
          <Text size="sm">{data.sentence}</Text>
          {[...new Set(ids)].map((id) => (
            <Group key={id} gap={4} wrap="nowrap" className={classes['suggestion']}>
              <Anchor component="button" type="button" size="sm" onClick={() => onChoose(id)}>
                <Code>{id}</Code>
              </Anchor>
              <CopyButton value={id} what={`the id ${id}`} />
            </Group>
          ))}
        </div>
      )}
    </div>
  );
}
