import { Skeleton, Switch } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { DesktopState } from '../../../../shared/desktop/desktop-contract.ts';
import { useDesktopCalls, useDesktopState } from '../../../api/use-desktop.ts';
import { Panel } from '../../../components/panel.tsx';
import { toastError } from '../../../hooks/toast.ts';
import { QuickChatSection } from './quick-chat.tsx';
import { Row, Rows } from '../setting-row.tsx';
import { Quit } from '../quit.tsx';
import { Updates } from './updates.tsx';

/** The settings of the desktop app: autostart, quick chat, updates and quitting. */
export function AppSection() {
  const state = useDesktopState();
  return (
    <Panel title="This app">
      {state === null ? (
        <Skeleton h={210} />
      ) : (
        <Rows>
          <StartAtLogin {...state.startAtLogin} />
          <QuickChatSection {...state.quickChat} />
          {state.notices !== null && <NotificationsProblem sentence={state.notices} />}
          <Updates state={state.updates} />
          <Quit leaving={state.engine.name === 'closed'} />
        </Rows>
      )}
    </Panel>
  );
}

/** Explains that the system shows no notifications; they have no setting of their own. */
function NotificationsProblem({ sentence }: { readonly sentence: string }) {
  return (
    <Row
      small
      label="Notifications"
      about="While the window is in the background, they report videos that are finished or need you, a refused service key or a limit, and that Gatehouse stopped."
      pinned={sentence}
    >
      {null}
    </Row>
  );
}

function StartAtLogin({ on, settable, sentence }: DesktopState['startAtLogin']) {
  const calls = useDesktopCalls();
  const setEnabled = useMutation({
    mutationFn: (startAtLogin: boolean) => calls.setStartAtLogin({ on: startAtLogin }),
    onError: (error) => toastError('Could not change “Start at login”.', error),
  });
  return (
    <Row
      small
      label="Start at login"
      about="Starts Gatehouse when you log in, without opening its window."
      pinned={sentence ?? undefined}
    >
      <Switch
        aria-label="Start at login"
        checked={on}
        disabled={!settable}
        onChange={(event) => setEnabled.mutate(event.currentTarget.checked)}
      />
    </Row>
  );
}
