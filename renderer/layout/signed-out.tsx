import icon from '../icon.svg';
import { Center, Code, Stack, Text, Title } from '@mantine/core';
import { useEffect } from 'react';
import { onSignedInElsewhere, onLinkPasted } from '../api/session.ts';
import { CopyButton } from '../components/copy-button.tsx';

const COMMAND = 'gatehouse open';

/** The page for a browser without a session: the reason, and how to sign in. */
export function SignedOut({ reason }: { readonly reason: string }) {
  useEffect(() => onSignedInElsewhere(() => location.reload()), []);
  useEffect(() => onLinkPasted(() => location.reload()), []);
  return (
    <Center component="main" mih="100vh" p="lg">
      <Stack maw={460} gap="sm">
        <img src={icon} alt="" width={40} height={40} />
        <Title order={1}>Open this window with a link</Title>
        <Text>{reason}</Text>
        <Text>
          To sign in, you must be able to run commands on this machine. Gatehouse prints a link when
          it starts; each link works once. For a new one, run:
        </Text>
        <span>
          <Code fz="sm">{COMMAND}</Code> <CopyButton value={COMMAND} what="the command" />
        </span>
        <Text c="dimmed" size="sm">
          In the repository: <Code>npm run -s gatehouse -- open</Code>
        </Text>
      </Stack>
    </Center>
  );
}
