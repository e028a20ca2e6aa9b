import { Group, Stack, Text } from '@mantine/core';
import { IconPinFilled } from '@tabler/icons-react';
import type { ExchangeMark } from '../../../../../shared/exchange/exchange-mark.ts';
import { TagList } from '../../../../components/badges/tag-list.tsx';
import classes from './mark-view.module.css';

/** Shows the pin, the tags and the note of an exchange. */
export function MarkView({ mark: { pinned, tags, note } }: { readonly mark: ExchangeMark }) {
  return (
    <Stack gap={6} component="section" aria-label="Your marks">
      {(pinned || tags.length > 0) && (
        <Group gap={6}>
          {pinned && (
            <Text size="sm" className={classes['pinned'] ?? ''}>
              <IconPinFilled size={13} aria-hidden /> Pinned
            </Text>
          )}
          <TagList tags={tags} />
        </Group>
      )}
      {note !== '' && (
        <Text size="sm" className={classes['note'] ?? ''}>
          {note}
        </Text>
      )}
    </Stack>
  );
}
