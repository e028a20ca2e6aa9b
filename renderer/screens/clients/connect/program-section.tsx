import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconPencil, IconPlugConnectedX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useCalls } from '../../../api/client.ts';
import type { ConnectedProgram } from '../../../client-setup/connect/use-programs.ts';
import { RelativeTime } from '../../../components/relative-time.tsx';
import classes from './connect.module.css';
import { FILE_STATES } from '../../../client-setup/connect/file-state.ts';

interface ProgramSectionProps {
  readonly program: ConnectedProgram;
  readonly onChange: () => void;
  readonly onDisconnect: () => void;
}

/** Shows the program that was connected as a client: its files, its address, and the actions on it. */
export function ProgramSection({ program, onChange, onDisconnect }: ProgramSectionProps) {
  const { name, connection } = program;
  const { data: diagnosis } = useDiagnosis(program);
  const found = diagnosis?.addresses.map(({ address }) => address) ?? [];
  return (
    <section aria-label="Connected program">
      <Title order={3} mb={4}>
        Connected program
      </Title>
      <Stack gap="sm">
        <Text size="sm">
          {name} uses {connection.model} through{' '}
          {found.length === 0 ? connection.address : found.join(' and ')}. Its settings were changed{' '}
          <RelativeTime at={connection.at} />.
        </Text>
        <ul className={classes['paths']} aria-label={`Settings of ${name}`}>
          {connection.files.map(({ path, state }) => (
            <li key={path}>
              <code>{path}</code>{' '}
              <span
                className={classes['state']}
                data-warn={state === 'as-written' ? undefined : true}
              >
                {FILE_STATES[state]}
              </span>
            </li>
          ))}
        </ul>
        <Outdated program={program} onChange={onChange} />
        <Group gap="xs">
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPencil size={15} />}
            onClick={onChange}
          >
            Change the model
          </Button>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlugConnectedX size={15} />}
            onClick={onDisconnect}
          >
            Disconnect
          </Button>
        </Group>
      </Stack>
    </section>
  );
}

interface OutdatedProps {
  readonly program: ConnectedProgram;
  readonly onChange: () => void;
}

/** Warns when the settings do not lead to this Gatehouse any more: they have another address, or a key that was replaced. */
function Outdated({ program, onChange }: OutdatedProps) {
  const { name, connection } = program;
  const status = useQuery(useCalls().status.get.queryOptions());
  const diagnosis = useDiagnosis(program);
  const own = status.data?.baseUrls.messages ?? connection.address;
  const isRetired = diagnosis.data?.key.state === 'retired';
  if (own === connection.address && !isRetired) return null;
  return (
    <Alert color="orange" icon={<IconAlertTriangle />} title={`${name} does not get through`}>
      <Text size="sm" mb="xs">
        {isRetired
          ? 'Its settings have a local key that was replaced.'
          : `Its settings have the address ${connection.address}, and this Gatehouse is at ${own}.`}
      </Text>
      <Button size="xs" onClick={onChange}>
        Connect again
      </Button>
    </Alert>
  );
}

/** Reads the settings of a program as they are; other programs change them at any time. */
function useDiagnosis({ id }: ConnectedProgram) {
  return useQuery(
    useCalls().connections.diagnose.queryOptions({
      input: { program: id },
      staleTime: 0,
      refetchOnWindowFocus: true,
    }),
  );
}
