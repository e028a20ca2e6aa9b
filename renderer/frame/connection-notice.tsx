import { Button, Group, Text } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { ON_DESKTOP } from '../client/desktop.ts';
import { useDesktopState } from '../client/use-desktop.ts';
import { useLiveState } from '../client/use-live.ts';
import { EngineWays, EngineWords } from './engine-notice.tsx';
import classes from './notice.module.css';

/** Says that the engine is gone, for as long as it is. */
export function ConnectionNotice() {
  const { state } = useLiveState();
  return (
    <div role="status" aria-live="polite">
      {state === 'gone' && (ON_DESKTOP ? <OnDesktop /> : <InBrowser />)}
    </div>
  );
}

function InBrowser() {
  const { hurry } = useLiveState();
  return (
    <Notice
      ways={
        <Button size="compact-sm" variant="default" onClick={hurry}>
          Try now
        </Button>
      }
    >
      Gatehouse does not answer. Your clients cannot work until it runs again; what you see may be
      old. This window comes back by itself.
    </Notice>
  );
}

function OnDesktop() {
  const engine = useDesktopState()?.engine ?? null;
  return (
    <Notice ways={<EngineWays engine={engine} />}>
      <EngineWords engine={engine} /> What you see may be old.
    </Notice>
  );
}

function Notice({ ways, children }: { readonly ways: ReactNode; readonly children: ReactNode }) {
  return (
    <Group className={classes['notice'] ?? ''} gap="sm" wrap="nowrap">
      <IconPlugConnectedX size={18} aria-hidden />
      <Text size="sm" flex={1}>
        {children}
      </Text>
      {ways}
    </Group>
  );
}
