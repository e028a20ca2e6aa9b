import { Button, Group, Text } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { ON_DESKTOP } from '../api/desktop.ts';
import { useDesktopState } from '../api/use-desktop.ts';
import { useLiveState } from '../api/use-live.ts';
import { EngineActions, EngineMessage } from './engine-notice.tsx';
import classes from './notice.module.css';

/** Shows a notice while the engine is not connected. */
export function ConnectionNotice() {
  const { state } = useLiveState();
  return (
    <div role="status" aria-live="polite">
      {state === 'gone' && (ON_DESKTOP ? <OnDesktop /> : <InBrowser />)}
    </div>
  );
}

function InBrowser() {
  const { retryNow } = useLiveState();
  return (
    <Notice
      actions={
        <Button size="compact-sm" variant="default" onClick={retryNow}>
          Try now
        </Button>
      }
    >
      Gatehouse is not responding. If it stopped, requests of your clients fail, too. This page may
      be out of date; it reconnects automatically.
    </Notice>
  );
}

function OnDesktop() {
  const engine = useDesktopState()?.engine ?? null;
  return (
    <Notice actions={<EngineActions engine={engine} />}>
      <EngineMessage engine={engine} /> This page may be out of date.
    </Notice>
  );
}

function Notice({
  actions,
  children,
}: {
  readonly actions: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <Group className={classes['notice'] ?? ''} gap="sm" wrap="nowrap">
      <IconPlugConnectedX size={18} aria-hidden />
      <Text size="sm" flex={1}>
        {children}
      </Text>
      {actions}
    </Group>
  );
}
