import { Alert, Button, Group, NumberInput, SimpleGrid, Stack } from '@mantine/core';
import { schemaResolver, useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Settings, type EffectiveSettings } from '../../../../shared/settings.ts';
import { useCalls } from '../../../api/client.ts';
import { CopyField } from '../../../components/copy-field.tsx';
import { toMessage } from '../../../format/errors.ts';
import { Row } from '../setting-row.tsx';
import { useSettingsChange } from '../use-settings-change.ts';

const PortForm = Settings.pick({ port: true });
type Change = ReturnType<typeof useSettingsChange>;

/** Edits the port of the proxy and shows the resulting addresses. */
export function Port({
  effectiveSettings: { settings, pinned },
}: {
  readonly effectiveSettings: EffectiveSettings;
}) {
  const change = useSettingsChange();
  return (
    <>
      <Row
        label="Port"
        about="Clients reach Gatehouse here, from this machine only. The new port opens before the old one closes; requests in progress finish."
        pinned={pinned.port}
      >
        <PortInput port={settings.port} pinned={pinned.port !== undefined} change={change} />
      </Row>
      <Stack gap="xs" mb={14}>
        <div role="status">
          {change.isSuccess && (
            <Alert color="teal" title={`Port ${settings.port} is open`}>
              Your clients must now use the addresses below.
            </Alert>
          )}
        </div>
        <Addresses />
      </Stack>
    </>
  );
}

interface PortInputProps {
  readonly port: number;
  readonly pinned: boolean;
  readonly change: Change;
}

function PortInput({ port, pinned, change }: PortInputProps) {
  const form = useForm({
    initialValues: { port },
    validate: schemaResolver(PortForm, { sync: true }),
  });
  const { setInitialValues, setValues } = form;
  // Another window may change it, too.
  useEffect(() => {
    setInitialValues({ port });
    setValues({ port });
  }, [port, setInitialValues, setValues]);
  const save = form.onSubmit((values) => {
    change.mutate(values, {
      onError: (error) => form.setFieldError('port', toMessage(error)),
    });
  });
  return (
    <form onSubmit={save} noValidate>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <NumberInput
          {...form.getInputProps('port')}
          aria-label="Port"
          flex={1}
          allowDecimal={false}
          allowNegative={false}
          hideControls
          disabled={pinned}
        />
        <Button
          type="submit"
          aria-label="Save the port"
          disabled={!form.isDirty()}
          loading={change.isPending}
        >
          Save
        </Button>
      </Group>
    </form>
  );
}

/** Shows the base addresses for clients in both styles. */
function Addresses() {
  const { data: status } = useQuery(useCalls().status.get.queryOptions());
  if (status === undefined) return null;
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs">
      <CopyField
        label="Chat Completions, Responses"
        value={status.baseUrls.chat}
        what="the base address for Chat Completions and Responses"
      />
      <CopyField
        label="Messages"
        value={status.baseUrls.messages}
        what="the base address for Messages"
      />
    </SimpleGrid>
  );
}
