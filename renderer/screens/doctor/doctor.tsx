import { Button, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconFileText, IconPlayerStop, IconRefresh } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { DoctorPart } from '../../../shared/doctor/finding.ts';
import { useCalls } from '../../api/client.ts';
import { Page } from '../../components/page.tsx';
import { describeResult } from './describe-findings.ts';
import { PartPanels } from './part-panels.tsx';
import { ReportDialog } from './report-dialog.tsx';
import { TryModel } from './try-model.tsx';

/** What the check of each part looks at. */
const CHECKED: Readonly<Record<DoctorPart, string>> = {
  gatehouse: 'the port, the keychain, the data folder and all of its databases',
  service: 'its key, its address and its answer',
  programs: 'the settings and the latest requests of each program',
};

/** Checks Gatehouse, the service and the connected programs, and shows how to mend what was found. */
export function Doctor() {
  const queries = useQueryClient();
  const calls = useCalls();
  const [isReporting, report] = useDisclosure(false);
  const parts = {
    gatehouse: usePart('gatehouse'),
    service: usePart('service'),
    programs: usePart('programs'),
  };
  const all = Object.values(parts);
  const isChecking = all.some(({ isFetching }) => isFetching);
  const stop = () => void queries.cancelQueries({ queryKey: calls.doctor.run.key() });
  const again = () => {
    for (const { refetch } of all) void refetch();
  };
  return (
    <Page
      title="Doctor"
      about="Checks Gatehouse, your service and the programs that use it. No check costs anything."
      actions={
        <>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconFileText size={15} />}
            onClick={report.open}
          >
            Report for a bug
          </Button>
          <Button
            size="xs"
            leftSection={isChecking ? <IconPlayerStop size={15} /> : <IconRefresh size={15} />}
            onClick={isChecking ? stop : again}
          >
            {isChecking ? 'Stop' : 'Check again'}
          </Button>
        </>
      }
    >
      <Stack gap="md">
        <Text size="sm" fw={500} role="status" aria-label="Result">
          {describeResult(
            all.map(({ data }) => data),
            isChecking,
          )}
        </Text>
        <PartPanels title="Gatehouse" what={CHECKED.gatehouse} part={parts.gatehouse} />
        <PartPanels title="Service" what={CHECKED.service} part={parts.service} />
        <TryModel />
        <PartPanels title="Programs" what={CHECKED.programs} part={parts.programs} />
      </Stack>
      <ReportDialog opened={isReporting} onClose={report.close} />
    </Page>
  );
}

/** Checks a part with each visit: what is checked changes at any time, and no event says so. */
function usePart(part: DoctorPart) {
  return useQuery(useCalls().doctor.run.queryOptions({ input: { part }, staleTime: 0 }));
}
