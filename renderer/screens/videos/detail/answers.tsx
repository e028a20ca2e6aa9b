import { Accordion, Group, Text } from '@mantine/core';
import type { VideoAnswer } from '../../../../shared/video/video.ts';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { CopyButton } from '../../../components/copy-button.tsx';
import { formatCount } from '../../../../shared/format.ts';
import { DetailSection } from '../../../components/detail/detail-section.tsx';
import { RawText } from './raw-text.tsx';

const STAGES: Readonly<Record<VideoAnswer['stage'], string>> = {
  upload: 'Upload of the image',
  submit: 'Order',
  identify: 'Search for the id',
  poll: 'State',
  download: 'Download',
};

/** Shows every response of the service verbatim. */
export function Answers({ answers }: { readonly answers: readonly VideoAnswer[] }) {
  return (
    <DetailSection title="Answers of the service">
      <Accordion variant="contained" multiple chevronPosition="left">
        {answers.map((answer, index) => (
          // The index is a stable key: responses are only ever appended.
          <Answer key={index} value={String(index)} answer={answer} />
        ))}
      </Accordion>
    </DetailSection>
  );
}

function Answer({ value, answer }: { readonly value: string; readonly answer: VideoAnswer }) {
  const { stage, status, lastAt, times, text } = answer;
  return (
    <Accordion.Item value={value}>
      <Accordion.Control>
        <Group gap={8} justify="space-between" wrap="nowrap">
          <Text span size="sm">
            {STAGES[stage]}
            {times > 1 && ` × ${formatCount(times)}`}
          </Text>
          <Text span size="xs" c="dimmed" data-figures>
            {status === null ? 'no answer' : `status ${status}`}, <RelativeTime at={lastAt} />
          </Text>
        </Group>
      </Accordion.Control>
      <Accordion.Panel>
        <Group gap={4} wrap="nowrap" align="flex-start">
          <RawText text={text} label={`${STAGES[stage]}, as received`} />
          <CopyButton value={text} what="the answer" />
        </Group>
      </Accordion.Panel>
    </Accordion.Item>
  );
}
