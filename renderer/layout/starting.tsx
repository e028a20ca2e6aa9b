import icon from '../icon.svg';
import { Center, Group, Stack, Text, Title } from '@mantine/core';
import { useDesktopState } from '../api/use-desktop.ts';
import { EngineActions, EngineMessage } from './engine-notice.tsx';
import classes from './starting.module.css';

/** Fills the window of the desktop app until the engine runs for the first time. */
export function Starting() {
  const engine = useDesktopState()?.engine ?? null;
  return (
    <Center component="main" mih="100vh" p="lg" className={classes['delayed'] ?? ''}>
      <Stack maw={460} gap="md" align="center">
        <img src={icon} alt="" width={40} height={40} />
        <Title order={1}>Gatehouse</Title>
        <Text role="status" ta="center">
          <EngineMessage engine={engine} />
        </Text>
        <Group gap="xs" justify="center">
          <EngineActions engine={engine} />
        </Group>
      </Stack>
    </Center>
  );
}
