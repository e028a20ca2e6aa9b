import { Alert, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import type { ConnectionTestReport } from '../../shared/upstream.ts';
import { pluralize, formatDuration } from '../../shared/format.ts';
import { toMessage } from '../format/errors.ts';

interface TestResultProps {
  readonly verdict: ConnectionTestReport | undefined;
  /** Why there is no result, when a reason is known. */
  readonly error: unknown;
}

/** Shows the result of a live test, announced to screen readers. */
export function TestResultMessage({ verdict, error }: TestResultProps) {
  return (
    <div role="status">
      {verdict !== undefined && <ResultText verdict={verdict} />}
      {verdict === undefined && error !== null && (
        <Alert color="red" icon={<IconAlertTriangle />} title="Not tested">
          <Text size="sm">{toMessage(error)}</Text>
        </Alert>
      )}
    </div>
  );
}

function ResultText({
  verdict: { works, sentence, models, durationMs },
}: {
  verdict: ConnectionTestReport;
}) {
  const found = models === null ? '' : `${pluralize(models, 'model')}, `;
  return (
    <Alert
      color={works ? 'teal' : 'red'}
      icon={works ? <IconCircleCheck /> : <IconAlertTriangle />}
      title={works ? 'It works' : 'The test failed'}
    >
      <Text size="sm">{sentence}</Text>
      <Text size="sm" c="dimmed" data-figures>
        {found}
        {formatDuration(durationMs)}
      </Text>
    </Alert>
  );
}
