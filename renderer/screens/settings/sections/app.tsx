import { Skeleton, Switch } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { DesktopState } from '../../../../shared/desktop-contract.ts';
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
      label="Notices"
      about="They tell of videos that are done or need you, of a service that refuses and of an engine that stopped, while the window is not in front."
      pinned={sentence}
    >
      {null}
    </Row>
  );
}

function StartAtLogin({ on, settable, sentence }: DesktopState['startAtLogin']) {
  const calls = useDesktopCalls();
  const turn = useMutation({
    mutationFn: (startAtLogin: boolean) => calls.setStartAtLogin({ on: startAtLogin }),
    onError: (error) => toastError('Start at login was not changed.', error),
  });
  return (
    <Row
      small
      label="Start at login"
      about="Gatehouse then runs as soon as you are logged in, without opening its window."
      pinned={sentence ?? undefined}
    >
      <Switch
        aria-label="Start at login"
        checked={on}
        disabled={!settable}
        onChange={(event) => turn.mutate(event.currentTarget.checked)}
      />
    </Row>
  );
}
