import { Accordion, Group, Text } from '@mantine/core';
import type { VideoAnswer } from '../../../../shared/video.ts';
import { Ago } from '../../../parts/ago.tsx';
import { CopyButton } from '../../../parts/copy-button.tsx';
import { countText } from '../../../parts/figures.ts';
import { Part } from '../../../parts/part.tsx';
import { Raw } from './raw.tsx';

const STAGES: Readonly<Record<VideoAnswer['stage'], string>> = {
  upload: 'Upload of the image',
  submit: 'Order',
  identify: 'Search for the id',
  poll: 'State',
  download: 'Download',
};

/** What the service answered at every step, as it came. */
export function Answers({ answers }: { readonly answers: readonly VideoAnswer[] }) {
  return (
    <Part title="Answers of the service">
      <Accordion variant="contained" multiple chevronPosition="left">
        {answers.map((answer, place) => (
          // Answers are only ever added at the end.
          <Answer key={place} value={String(place)} answer={answer} />
        ))}
      </Accordion>
    </Part>
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
            {times > 1 && ` × ${countText(times)}`}
          </Text>
          <Text span size="xs" c="dimmed" data-figures>
            {status === null ? 'no answer' : `status ${status}`}, <Ago at={lastAt} />
          </Text>
        </Group>
      </Accordion.Control>
      <Accordion.Panel>
        <Group gap={4} wrap="nowrap" align="flex-start">
          <Raw text={text} label={`${STAGES[stage]}, as it came`} />
          <CopyButton value={text} what="the answer" />
        </Group>
      </Accordion.Panel>
    </Accordion.Item>
  );
}
