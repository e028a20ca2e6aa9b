import { Alert, Select, Skeleton, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconArrowsDiff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { SANDBOX_ID } from '../../../../shared/sandbox-id.ts';
import { useCalls } from '../../../api/client.ts';
import { Page } from '../../../components/page.tsx';
import { Panel } from '../../../components/panel.tsx';
import { ScreenLink } from '../../../components/screen-link.tsx';
import { EmptyState } from '../../../components/states/empty-state.tsx';
import { toMessage } from '../../../format/errors.ts';
import { useServiceLabels } from '../../../hooks/use-service-labels.ts';
import { ColumnsForm } from './columns-form.tsx';
import { ExportFile } from './export-file.tsx';
import { Result } from './result.tsx';
import { useComparison } from './use-comparison.ts';

/** Compares the usage export of a service with the history. */
export function Reconcile() {
  const { upload, file, service } = useSearch({ from: '/usage/reconcile' });
  const navigate = useNavigate({ from: '/usage/reconcile' });
  return (
    <Page
      title="Compare with an export"
      about="Which requests and costs your service has counted, and which ones are in the history."
      actions={
        <ScreenLink to="/usage" size="sm">
          Back to Usage
        </ScreenLink>
      }
    >
      <Stack gap="md">
        <ExportFile
          upload={upload ?? null}
          name={file ?? null}
          onSent={(sent) =>
            void navigate({ search: (before) => ({ ...before, ...sent }), replace: true })
          }
        />
        {upload === undefined ? (
          <EmptyState icon={IconArrowsDiff} title="No export chosen yet">
            Many services let you download what they have counted. Gatehouse compares such a file
            with its history, and lists what is missing on either side and what differs.
          </EmptyState>
        ) : (
          <SentExport
            key={`${upload} ${service ?? ''}`}
            upload={upload}
            service={service ?? null}
            onService={(chosen) =>
              void navigate({
                search: (before) => ({ ...before, service: chosen }),
                replace: true,
              })
            }
          />
        )}
      </Stack>
    </Page>
  );
}

interface SentExportProps {
  readonly upload: string;
  /** The id of a service; `null` for the one in use. */
  readonly service: string | null;
  readonly onService: (service: string) => void;
}

/** The columns of an export, and its comparison. */
function SentExport({ upload, service, onService }: SentExportProps) {
  const options = useCalls().usage.reconcile.sample.queryOptions({ input: { upload, service } });
  const { data, error } = useQuery({ ...options, refetchOnMount: 'always' });
  const comparison = useComparison(upload, service);
  const { latest } = comparison;
  if (error !== null) {
    return (
      <Alert
        color="red"
        icon={<IconAlertTriangle aria-hidden />}
        title="Could not read the file."
        role="alert"
      >
        <Text size="sm">{toMessage(error)}</Text>
      </Alert>
    );
  }
  if (data === undefined) return <Skeleton h={320} />;
  return (
    <>
      <Panel title="Columns">
        <Stack gap="sm">
          <ServiceSelect service={data.service} onChange={onService} />
          <ColumnsForm
            sample={data}
            latest={latest?.query ?? null}
            isPending={comparison.isPending}
            onCompare={comparison.compare}
            onStop={comparison.stop}
          />
          {comparison.error !== null && (
            <Alert color="red" title="Could not compare." role="alert">
              <Text size="sm">{toMessage(comparison.error)}</Text>
            </Alert>
          )}
        </Stack>
      </Panel>
      {latest !== null && !comparison.isPending && <Result {...latest} service={data.service} />}
    </>
  );
}

interface ServiceSelectProps {
  readonly service: string;
  readonly onChange: (service: string) => void;
}

/** Chooses the service whose export it is, where there are several. */
function ServiceSelect({ service, onChange }: ServiceSelectProps) {
  const { data } = useQuery(useCalls().history.names.queryOptions());
  const { findName } = useServiceLabels();
  const known = (data?.services ?? []).map(({ id }) => id);
  const ids = [...new Set([service, ...known])];
  if (ids.length === 1) {
    return (
      <Text size="sm">
        {service === SANDBOX_ID
          ? 'It is compared with the requests to the sandbox.'
          : `It is compared with the requests to ${findName(service)}.`}
      </Text>
    );
  }
  return (
    <Select
      label="Service"
      description="Whose export it is."
      maw={420}
      allowDeselect={false}
      value={service}
      data={ids.map((id) => ({ value: id, label: findName(id) }))}
      onChange={(chosen) => chosen !== null && onChange(chosen)}
    />
  );
}
