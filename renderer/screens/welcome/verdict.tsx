import { Alert } from '@mantine/core';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import type { TestVerdict } from '../../../shared/upstream.ts';
import { counted, durationText } from '../../parts/figures.ts';

/** How the test of an address and a key went. */
export function Verdict({ verdict }: { readonly verdict: TestVerdict }) {
  const { works, sentence, models, durationMs } = verdict;
  const found = models === null ? '' : ` It offers ${counted(models, 'model')}.`;
  return (
    <Alert
      role="status"
      color={works ? 'teal' : 'orange'}
      icon={works ? <IconCheck /> : <IconAlertTriangle />}
      title={works ? 'The service works' : 'The service does not work yet'}
    >
      {sentence}
      {found} Answered in {durationText(durationMs)}.
    </Alert>
  );
}
