import { Alert, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import type { TestVerdict } from '../../shared/upstream.ts';
import { counted, durationText } from './figures.ts';
import { sentenceOf } from './problem.ts';

interface VerdictProps {
  readonly verdict: TestVerdict | undefined;
  /** Why there is no verdict, when there is a reason. */
  readonly error: unknown;
}

/** How a live test went. Said aloud when it comes. */
export function Verdict({ verdict, error }: VerdictProps) {
  return (
    <div role="status">
      {verdict !== undefined && <Told verdict={verdict} />}
      {verdict === undefined && error !== null && (
        <Alert color="red" icon={<IconAlertTriangle />} title="It was not tested">
          <Text size="sm">{sentenceOf(error)}</Text>
        </Alert>
      )}
    </div>
  );
}

function Told({ verdict: { works, sentence, models, durationMs } }: { verdict: TestVerdict }) {
  const found = models === null ? '' : `${counted(models, 'model')}, `;
  return (
    <Alert
      color={works ? 'teal' : 'red'}
      icon={works ? <IconCircleCheck /> : <IconAlertTriangle />}
      title={works ? 'It works' : 'It does not work yet'}
    >
      <Text size="sm">{sentence}</Text>
      <Text size="sm" c="dimmed" data-figures>
        {found}
        {durationText(durationMs)}
      </Text>
    </Alert>
  );
}
