import {
  ActionIcon,
  Group,
  Modal,
  SegmentedControl,
  Stack,
  Text,
  Title,
  Tooltip,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconArrowsMaximize } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { StoredBody } from '../../../../../shared/exchange/body.ts';
import { describeGaps } from '../../../../../shared/exchange/describe-body.ts';
import { formatBytes } from '../../../../../shared/format.ts';

/** A way to show a body. */
export interface BodyView {
  readonly label: string;
  readonly show: () => ReactNode;
}

interface BodySectionProps {
  readonly title: string;
  readonly body: StoredBody;
  /** The parts in which secrets were masked, as far as they are known. */
  readonly masked?: readonly string[];
  /** The ways to show it, the preferred one first. */
  readonly views: readonly BodyView[];
}

/** Shows a body in the pane, in one of several ways, and larger over the whole window. */
export function BodySection({ title, body, masked = [], views }: BodySectionProps) {
  const [label, setLabel] = useState<string | null>(null);
  const [isLarge, large] = useDisclosure(false);
  const view = views.find((one) => one.label === label) ?? views[0];
  const content = (
    <Stack gap={8}>
      {views.length > 1 && (
        <SegmentedControl
          size="xs"
          data={views.map((one) => one.label)}
          value={view?.label ?? ''}
          onChange={setLabel}
          aria-label={`${title} as`}
          w="fit-content"
        />
      )}
      <Text size="xs" c="dimmed" data-figures>
        {describeBody(body, masked)}
      </Text>
      {view?.show()}
    </Stack>
  );
  return (
    <section aria-label={title}>
      <Group justify="space-between" mb={6}>
        <Title order={3}>{title}</Title>
        <Tooltip label="Show larger">
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label={`Show the ${title.toLowerCase()} larger`}
            onClick={large.open}
          >
            <IconArrowsMaximize size={15} />
          </ActionIcon>
        </Tooltip>
      </Group>
      {content}
      <Modal opened={isLarge} onClose={large.close} title={title} size="min(100%, 1100px)">
        {content}
      </Modal>
    </section>
  );
}

/** Describes size and type of a body, and what of it is not stored. */
function describeBody(body: StoredBody, places: readonly string[]): string {
  const { bytes, contentType } = body;
  const size = [...(contentType === null ? [] : [contentType]), formatBytes(bytes)].join(', ');
  return `${size}. ${describeGaps(body, places)}`;
}

interface NoBodyProps {
  readonly title: string;
  readonly children: ReactNode;
}

/** Says why there is no body. */
export function NoBody({ title, children }: NoBodyProps) {
  return (
    <section aria-label={title}>
      <Title order={3} mb={6}>
        {title}
      </Title>
      <Text size="sm" c="dimmed">
        {children}
      </Text>
    </section>
  );
}
